import java.util.concurrent.atomic.AtomicReference;

/** Treiber's stack: nodes are published by compare-and-set, their fields are plain. */
public class LockFreeStack {
    static final class Node {
        int value;
        Node next;
    }

    private final AtomicReference<Node> top = new AtomicReference<>();

    private void push(int value) {
        Node node = new Node();
        node.value = value;
        do {
            node.next = top.get();
        } while (!top.compareAndSet(node.next, node));
    }

    private int pop() {
        for (Node node; (node = top.get()) != null; ) {
            if (top.compareAndSet(node, node.next)) return node.value;
        }
        return -1;
    }

    private void work() {
        for (int i = 0; i < 50; i++) {
            push(i);
            if (pop() > 50) System.out.println("strange");
        }
    }

    public static void main(String[] args) throws Exception {
        LockFreeStack stack = new LockFreeStack();
        Thread a = new Thread(stack::work, "a");
        Thread b = new Thread(stack::work, "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(stack.pop());
    }
}
