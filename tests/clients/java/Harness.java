import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Settings, how failures are reported, and a look at the server past the client under test. */
final class Harness {
    static final String ORIGIN = System.getenv("YUNLAB_ORIGIN");
    static final String FOLDER = System.getenv("YUNLAB_FOLDER");
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static boolean failed;

    private Harness() {}

    /** What a step does. */
    interface Act {
        void run() throws Exception;
    }

    /** Reports a failed expectation as one line. */
    static void fail(String what, Object wanted, Object came) {
        failed = true;
        System.err.println((what + ": wanted " + brief(wanted) + ", came " + brief(came)).replaceAll("\\s+", " "));
    }

    private static String brief(Object value) {
        if (!(value instanceof byte[] bytes)) {
            return String.valueOf(value);
        }
        try {
            byte[] sum = MessageDigest.getInstance("SHA-256").digest(bytes);
            return bytes.length + " bytes with SHA-256 " + HexFormat.of().formatHex(sum, 0, 6);
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    /** Compares what was wanted with what came. */
    static void expect(String what, Object wanted, Object came) {
        if (!Objects.deepEquals(wanted, came)) {
            fail(what, wanted, came);
        }
    }

    /** Reports an exception and goes on with the next step. */
    static void step(String what, Act act) {
        try {
            act.run();
        } catch (Exception error) {
            fail(what, "no error", error + (error.getCause() == null ? "" : ", for " + error.getCause()));
        }
    }

    /** Wants the call to be refused. */
    static void refused(String what, Act act) throws Exception {
        try {
            act.run();
        } catch (IOException error) {
            return;
        }
        fail(what, "an IOException", "no error");
    }

    /** Ends the program with its verdict. */
    static void finish() {
        System.exit(failed ? 1 : 0);
    }

    /** Encodes each segment of a path. */
    static String encoded(String path) {
        return Arrays.stream(path.split("/", -1))
                .map(segment -> URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20"))
                .collect(Collectors.joining("/"));
    }

    /** The answer of the disk's own interface, or null where nothing is. */
    static byte[] rest(String call, String path) throws Exception {
        URI address = URI.create(ORIGIN + "/disk/api/" + call + encoded(path));
        HttpRequest request = HttpRequest.newBuilder(address)
                .header("Authorization", "Bearer " + System.getenv("YUNLAB_TOKEN")).build();
        HttpResponse<byte[]> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() == 404) {
            return null;
        }
        if (answer.statusCode() != 200) {
            throw new IOException(call + path + ": " + answer.statusCode());
        }
        return answer.body();
    }

    /** The bytes of a file as they are on the server. */
    static byte[] stored(String path) throws Exception {
        return rest("raw", path);
    }

    /** When a file was changed. */
    static Instant modified(String path) throws Exception {
        return Instant.parse(field("modified", rest("resources", path))).truncatedTo(ChronoUnit.SECONDS);
    }

    /** How much the user has stored, and how much more there is room for. */
    private static List<Long> room() throws Exception {
        byte[] usage = rest("usage", "/home/");
        long used = Long.parseLong(field("used", usage));
        return List.of(used, Long.parseLong(field("quota", usage)) - used);
    }

    /** Compares what a client tells of the room; a count that was renewed meanwhile is asked again. */
    static void expectRoom(String what, Callable<List<Long>> ask) throws Exception {
        List<Long> wanted = room();
        List<Long> came = ask.call();
        for (int tries = 0; tries < 4 && !room().equals(wanted); tries++) {
            wanted = room();
            came = ask.call();
        }
        expect(what, wanted, came);
    }

    private static String field(String name, byte[] json) {
        String text = new String(json, StandardCharsets.UTF_8);
        Matcher matcher = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + name);
        }
        return matcher.group(1);
    }

    /** The file names that every client is tried with. */
    static List<String> names() throws IOException {
        List<String> names = new ArrayList<>(Files.readAllLines(Path.of("names.txt")));
        names.addAll(List.of(" leading", "trailing "));
        return names;
    }
}
