/** Two threads count in one field: updates are lost. */
public class LostUpdate {
    private int count;

    private void work() {
        for (int i = 0; i < 100; i++) {
            count++; // race: LostUpdate.count
        }
    }

    public static void main(String[] args) throws Exception {
        LostUpdate shared = new LostUpdate();
        Thread a = new Thread(shared::work, "a");
        Thread b = new Thread(shared::work, "b");
        a.start();
        b.start();
        a.join();
        b.join();
        System.out.println(shared.count <= 200);
    }
}
