package java.security;

/** What the helper sees of SecureRandom when it is compiled. Never shipped; see Thread. */
public class SecureRandom extends java.util.Random {
    public native void $rw$nextBytes(byte[] bytes);
}
