import java.awt.*;
import java.awt.event.*;
import java.awt.image.BufferedImage;
import java.util.zip.CRC32;
import javax.swing.*;

/** A window with a field, a button and a drawing; it ends when its button "Done" is clicked. */
public class Notepad {
    static final JTextField field = new JTextField(12);
    static final DefaultListModel<String> lines = new DefaultListModel<>();
    static final java.util.List<Point> points = new java.util.ArrayList<>();

    public static void main(String[] args) throws Exception {
        SwingUtilities.invokeAndWait(Notepad::open);
        System.out.println("ready");
    }

    static void open() {
        JFrame frame = new JFrame("notepad");
        JPanel drawing = new JPanel() {
            @Override protected void paintComponent(Graphics g) {
                super.paintComponent(g);
                for (Point p : points) g.fillOval(p.x - 3, p.y - 3, 6, 6);
            }
        };
        drawing.setBackground(Color.WHITE);
        drawing.addMouseListener(new MouseAdapter() {
            @Override public void mousePressed(MouseEvent e) {
                points.add(e.getPoint());
                System.out.println("point " + e.getX() + " " + e.getY() + " when " + e.getWhen());
                drawing.repaint();
            }
        });
        field.addActionListener(e -> { lines.addElement(field.getText()); System.out.println("line " + field.getText()); field.setText(""); });
        JButton done = new JButton("Done");
        done.addActionListener(e -> finish(frame));
        JPanel top = new JPanel(new BorderLayout());
        top.add(field, BorderLayout.CENTER);
        top.add(done, BorderLayout.EAST);
        frame.add(top, BorderLayout.NORTH);
        frame.add(new JScrollPane(new JList<>(lines)), BorderLayout.WEST);
        frame.add(drawing, BorderLayout.CENTER);
        frame.setBounds(20, 20, 500, 300);
        frame.setVisible(true);
        field.requestFocus();
    }

    static void finish(JFrame frame) {
        Container pane = frame.getContentPane();
        BufferedImage image = new BufferedImage(pane.getWidth(), pane.getHeight(), BufferedImage.TYPE_INT_RGB);
        Graphics g = image.getGraphics();
        pane.paint(g);
        CRC32 sum = new CRC32();
        for (int y = 0; y < image.getHeight(); y++) for (int x = 0; x < image.getWidth(); x++) {
            int rgb = image.getRGB(x, y);
            sum.update(rgb); sum.update(rgb >> 8); sum.update(rgb >> 16);
        }
        System.out.println("text " + field.getText() + ", lines " + lines + ", points " + points);
        System.out.println("picture " + Long.toHexString(sum.getValue()));
        System.exit(0);
    }
}
