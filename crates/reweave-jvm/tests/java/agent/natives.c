#include <jni.h>

static jint add(JNIEnv *env, jobject self, jint amount) {
    jfieldID field = (*env)->GetFieldID(env, (*env)->GetObjectClass(env, self), "value", "I");
    jint value = (*env)->GetIntField(env, self, field) + amount;
    (*env)->SetIntField(env, self, field, value);
    return value;
}

JNIEXPORT jint JNICALL Java_Natives_add(JNIEnv *env, jobject self, jint amount) {
    return add(env, self, amount);
}

JNIEXPORT jstring JNICALL Java_Natives_text(JNIEnv *env, jclass type, jobject object, jlong number, jdouble fraction) {
    return (*env)->NewStringUTF(env, number == 5 && fraction == 2.5 ? "as given" : "wrong arguments");
}

JNIEXPORT jint JNICALL Java_Natives_failing(JNIEnv *env, jclass type) {
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), "failed");
    return 0;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    JNIEnv *env;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
    JNINativeMethod method = {"registered", "(I)I", (void *)add};
    jclass type = (*env)->FindClass(env, "Natives");
    return (*env)->RegisterNatives(env, type, &method, 1) == 0 ? JNI_VERSION_1_8 : JNI_ERR;
}
