/**
 * A waiter gives each answer two milliseconds; the answering thread sleeps about as long first.
 * May vary: which waits time out and which are answered in time, and how many answers were late.
 */
public class TimedWait {
    private static final int ROUNDS = 24;

    static final class Mailbox {
        private int asked;
        private int answered;

        synchronized void ask(int round) {
            asked = round;
            notifyAll();
        }

        synchronized void awaitQuestion(int round) throws InterruptedException {
            while (asked < round) {
                wait();
            }
        }

        synchronized void answer(int round) {
            answered = round;
            notifyAll();
        }

        /** One timed wait, as in code that gives up: 'a' answered, 't' timed out. */
        synchronized char awaitAnswer(int round, long millis) throws InterruptedException {
            if (answered < round) {
                wait(millis);
            }
            return answered >= round ? 'a' : 't';
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Mailbox mailbox = new Mailbox();
        Thread answering = new Thread(() -> {
            try {
                for (int round = 1; round <= ROUNDS; round++) {
                    mailbox.awaitQuestion(round);
                    Thread.sleep(1 + round % 2);
                    mailbox.answer(round);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "answering");
        answering.start();
        StringBuilder outcome = new StringBuilder();
        int late = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            mailbox.ask(round);
            outcome.append(mailbox.awaitAnswer(round, 2));
            if (mailbox.awaitAnswer(round, 1) == 'a' && outcome.charAt(round - 1) == 't') {
                late++;
            }
        }
        answering.join();
        System.out.println("outcome " + outcome);
        System.out.println("late " + late);
        System.out.println("answers " + mailbox.answered);
    }
}
