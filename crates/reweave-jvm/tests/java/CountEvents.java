import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Counts what the rewriter should have found: reads class files on its own, so that an error in the rewriter's reader shows as a
 * difference. Arguments: the plan as `reweave-rewrite --plan` prints it, and the folder of the classes.
 */
public final class CountEvents {
    private static final int STATIC = 0x0008, SYNCHRONIZED = 0x0020, NATIVE = 0x0100;

    private record Call(String owner, String name, String descriptor, boolean isStatic) {}
    private record Named(String name, String descriptor) {}

    private static final List<Call> calls = new ArrayList<>();
    private static final List<Named> marks = new ArrayList<>();
    private static final List<Named> methods = new ArrayList<>();

    private static long classCount, methodCount, monitorBlocks, synchronizedMethods, callSites, methodSites, accessSites, handles;

    public static void main(String[] arguments) throws IOException {
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "call" -> calls.add(new Call(words[1], words[2], words[3], words[4].equals("static")));
                case "mark" -> marks.add(new Named(words[1], words[2]));
                case "method" -> methods.add(new Named(words[1], words[2]));
                default -> throw new IllegalArgumentException(line);
            }
        }
        Path root = Path.of(arguments[1]);
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(file -> file.toString().endsWith(".class")).toList();
        }
        for (Path file : files) {
            String place = root.relativize(file).toString();
            // The same classes that the rewriter leaves out.
            if (place.endsWith("module-info.class") || place.contains("META-INF") || place.equals("java/lang/Object.class")) continue;
            new CountEvents(ByteBuffer.wrap(Files.readAllBytes(file))).count();
        }
        System.out.printf("{\"classes\": %d, \"methods\": %d, \"handles\": %d, \"sites\": "
                + "{\"monitor_blocks\": %d, \"synchronized_methods\": %d, \"calls\": %d, \"methods\": %d, \"accesses\": %d}}%n",
            classCount, methodCount, handles, monitorBlocks, synchronizedMethods, callSites, methodSites, accessSites);
    }

    private final ByteBuffer in;
    private int[] constants;
    private int major;
    private String thisClass, superclass;

    private CountEvents(ByteBuffer in) { this.in = in; }

    private int u1() { return in.get() & 0xFF; }
    private int u2() { return in.getShort() & 0xFFFF; }
    private void skip(int bytes) { in.position(in.position() + bytes); }
    private int u2At(int place) { return in.getShort(place) & 0xFFFF; }

    private void count() {
        classCount++;
        in.getInt();
        u2();
        major = u2();
        readConstants();
        for (int index = 1; index < constants.length; index++) {
            if (constants[index] != 0 && in.get(constants[index]) == 15) countHandle(constants[index]);
        }
        u2();
        thisClass = text(u2At(constants[u2()] + 1));
        int parent = u2();
        superclass = parent == 0 ? "" : text(u2At(constants[parent] + 1));
        skip(2 * u2());
        for (int fields = u2(); fields > 0; fields--) {
            skip(6);
            skipAttributes();
        }
        for (int left = u2(); left > 0; left--) countMethod();
    }

    private void readConstants() {
        constants = new int[u2()];
        for (int index = 1; index < constants.length; index++) {
            constants[index] = in.position();
            int tag = u1();
            switch (tag) {
                case 1 -> skip(u2());
                case 5, 6 -> { skip(8); index++; }
                case 15 -> skip(3);
                case 7, 8, 16, 19, 20 -> skip(2);
                default -> skip(4);
            }
        }
    }

    private String text(int index) {
        int place = constants[index];
        byte[] bytes = new byte[u2At(place + 1)];
        in.get(place + 3, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String[] member(int index) {
        int place = constants[index];
        int pair = constants[u2At(place + 3)];
        return new String[] {text(u2At(constants[u2At(place + 1)] + 1)), text(u2At(pair + 1)), text(u2At(pair + 3))};
    }

    private void countHandle(int place) {
        int kind = in.get(place + 1);
        if (kind == 6 || kind == 5 || kind == 7 || kind == 9) {
            if (isHooked(member(u2At(place + 2)), kind == 6, kind == 7)) handles++;
        }
    }

    private static boolean isHooked(String[] member, boolean isStatic, boolean isSuper) {
        for (Call call : calls) {
            boolean owner = call.owner.equals("*") || (call.owner.equals(member[0]) || call.owner.equals("[") && member[0].startsWith("[")) && !isSuper;
            if (owner && call.isStatic == isStatic && call.name.equals(member[1]) && call.descriptor.equals(member[2])) return true;
        }
        return false;
    }

    private static boolean isNamed(List<Named> list, String name, String descriptor) {
        return list.stream().anyMatch(one -> one.name.equals(name) && (one.descriptor.equals("*") || one.descriptor.equals(descriptor)));
    }

    private void skipAttributes() {
        for (int left = u2(); left > 0; left--) {
            u2();
            skip(in.getInt());
        }
    }

    private void countMethod() {
        methodCount++;
        int flags = u2();
        String name = text(u2()), descriptor = text(u2());
        boolean initialiser = name.startsWith("<");
        boolean classConstant = major >= 49 || (flags & STATIC) == 0;
        boolean converted = (flags & SYNCHRONIZED) != 0 && !initialiser && classConstant;
        if (converted) synchronizedMethods++;
        // Native ones get code when they are converted.
        if (converted && (flags & NATIVE) != 0 && isNamed(methods, name, descriptor)) methodSites++;
        boolean intrinsic = isIntrinsic();
        for (int left = u2(); left > 0; left--) {
            String attribute = text(u2());
            int length = in.getInt(), start = in.position();
            if (attribute.equals("Code")) {
                if (!name.equals("<init>") && isNamed(methods, name, descriptor)) methodSites++;
                countCode(in.getInt(start + 4), start + 8, name.equals("<init>"), name.equals("<clinit>"), intrinsic);
            }
            in.position(start + length);
        }
    }

    /** Whether the VM may have code of its own for the method whose attributes come next: the first annotation of each in the JDK that has it. */
    private boolean isIntrinsic() {
        int start = in.position();
        boolean found = false;
        for (int left = u2(); left > 0; left--) {
            boolean annotations = text(u2()).equals("RuntimeVisibleAnnotations");
            int length = in.getInt(), at = in.position();
            if (annotations) {
                // None of the JDK's has elements, as far as methods of the VM's are concerned.
                int next = at + 2;
                for (int i = u2At(at); i > 0 && next + 4 <= at + length; i--, next += 4) {
                    found |= text(u2At(next)).equals("Ljdk/internal/vm/annotation/IntrinsicCandidate;");
                    if (u2At(next + 2) != 0) break;
                }
            }
            in.position(at + length);
        }
        in.position(start);
        return found;
    }

    private void countCode(int length, int base, boolean uninitialised, boolean initialiser, boolean intrinsic) {
        long accessSitesBefore = accessSites;
        int pending = 0;
        // What the last instructions were, as far as they may fill a new array: m(ade), d(up), i(ndex), v(alue).
        String filling = "";
        for (int at = 0; at < length; ) {
            int place = base + at, opcode = in.get(place) & 0xFF;
            boolean store = opcode >= 79 && opcode <= 86;
            if (store && filling.endsWith("m")) filling = filling.substring(0, filling.length() - 1);
            boolean fills = store && filling.endsWith("v");
            if (opcode == 188 || opcode == 189) filling = filling.isEmpty() || filling.endsWith("v") ? filling + "m" : "m";
            else if (fills) filling = filling.substring(0, filling.length() - 4) + "m";
            else if (opcode == 89 && filling.endsWith("m")) filling += "d";
            else if (opcode >= 2 && opcode <= 20 && filling.endsWith("d")) filling += "i";
            else if (opcode >= 1 && opcode <= 45 && filling.endsWith("i")) filling += "v";
            else filling = "";
            switch (opcode) {
                case 194 -> monitorBlocks++;
                case 182, 183, 184, 185 -> {
                    String[] member = member(u2At(place + 1));
                    if (isHooked(member, opcode == 184, opcode == 183) || isNamed(marks, member[1], member[2])) callSites++;
                    boolean hooked = isHooked(member, false, true) || isNamed(marks, member[1], member[2]);
                    if (opcode == 183 && !hooked && String.join(" ", member).equals("java/lang/Object clone ()Ljava/lang/Object;")) accessSites++;
                    boolean own = member[0].equals(thisClass) || member[0].equals(superclass);
                    if (opcode == 183 && member[1].equals("<init>") && own && --pending < 0) uninitialised = false;
                }
                case 187 -> {
                    String made = text(u2At(constants[u2At(place + 1)] + 1));
                    if (made.equals(thisClass) || made.equals(superclass)) pending++;
                }
                case 178, 179 -> { if (major >= 49 && !(initialiser && member(u2At(place + 1))[0].equals(thisClass))) accessSites++; }
                case 180 -> accessSites++;
                case 181 -> { if (!uninitialised) accessSites++; }
                default -> { if (!initialiser && !fills && (opcode >= 46 && opcode <= 53 || opcode >= 79 && opcode <= 86)) accessSites++; }
            }
            int aligned = base + (at + 4) / 4 * 4;
            at += switch (opcode) {
                case 16, 18, 21, 22, 23, 24, 25, 54, 55, 56, 57, 58, 169, 188 -> 2;
                case 17, 19, 20, 132, 178, 179, 180, 181, 182, 183, 184, 187, 189, 192, 193, 198, 199 -> 3;
                case 197 -> 4;
                case 185, 186, 200, 201 -> 5;
                case 170 -> aligned - place + 12 + 4 * (in.getInt(aligned + 8) - in.getInt(aligned + 4) + 1);
                case 171 -> aligned - place + 8 + 8 * in.getInt(aligned + 4);
                case 196 -> (in.get(place + 1) & 0xFF) == 132 ? 6 : 4;
                default -> opcode >= 153 && opcode <= 168 ? 3 : 1;
            };
        }
        if (intrinsic) accessSites = accessSitesBefore;
    }
}
