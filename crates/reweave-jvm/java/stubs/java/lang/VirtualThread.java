package java.lang;

/** What the helper sees of VirtualThread when it is compiled; JDK 17 has none. Never shipped. */
final class VirtualThread extends Thread {
    native void $rw$afterDone(boolean notifyContainer);
}
