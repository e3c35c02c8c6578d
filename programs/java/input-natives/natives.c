/* The native methods of Natives.java: whatever differs from run to run. */
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define METHOD(type, name) JNIEXPORT type JNICALL Java_Natives_##name

static int counter;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

METHOD(jlong, clock)(JNIEnv *env, jclass class) { return -now(); } /* no address */
METHOD(jint, next)(JNIEnv *env, jclass class) { return __sync_add_and_fetch(&counter, 1 + (int)(now() & 3)); }
METHOD(jdouble, fraction)(JNIEnv *env, jclass class) { return (now() % 1000) / 7.0; }
METHOD(jfloat, ratio)(JNIEnv *env, jclass class, jbyte a, jshort b, jchar c, jboolean d) { return (now() % 100 + a + b + c + d) / 3.0f; }

METHOD(jstring, text)(JNIEnv *env, jclass class, jstring greeting) {
    char buffer[100];
    const char *chars = (*env)->GetStringUTFChars(env, greeting, NULL);
    snprintf(buffer, sizeof buffer, "%s at %ld", chars, now());
    (*env)->ReleaseStringUTFChars(env, greeting, chars);
    return (*env)->NewStringUTF(env, buffer);
}

METHOD(jintArray, numbers)(JNIEnv *env, jclass class, jint length) {
    jintArray array = (*env)->NewIntArray(env, length);
    for (jint i = 0; i < length; i++) {
        jint number = (jint)(now() % 1000);
        (*env)->SetIntArrayRegion(env, array, i, 1, &number);
    }
    return array;
}

METHOD(jobjectArray, words)(JNIEnv *env, jclass class) {
    jobjectArray array = (*env)->NewObjectArray(env, 2, (*env)->FindClass(env, "java/lang/String"), NULL);
    char buffer[40];
    snprintf(buffer, sizeof buffer, "word%ld", now() % 100);
    (*env)->SetObjectArrayElement(env, array, 0, (*env)->NewStringUTF(env, buffer));
    return array;
}

METHOD(jint, fill)(JNIEnv *env, jclass class, jbyteArray bytes, jlongArray more) {
    jlong time = now();
    (*env)->SetByteArrayRegion(env, bytes, 0, 8, (jbyte *)&time);
    (*env)->SetLongArrayRegion(env, more, 1, 1, &time);
    return 8;
}

METHOD(void, fail)(JNIEnv *env, jclass class, jstring why) {
    char buffer[60];
    snprintf(buffer, sizeof buffer, "at %ld", now());
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), buffer);
}

METHOD(jlong, make)(JNIEnv *env, jclass class) {
    int *made = malloc(64);
    *made = (int)(now() % 1000);
    return (jlong)made;
}

METHOD(jint, use)(JNIEnv *env, jclass class, jlong address) { return *(int *)address; }
METHOD(jobject, same)(JNIEnv *env, jclass class, jobject object) { return object; }

METHOD(jint, back)(JNIEnv *env, jclass class, jobject action) {
    jclass type = (*env)->GetObjectClass(env, action);
    (*env)->CallVoidMethod(env, action, (*env)->GetMethodID(env, type, "run", "()V"));
    return (jint)(now() % 1000);
}
