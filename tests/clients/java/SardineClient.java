import com.github.sardine.DavQuota;
import com.github.sardine.DavResource;
import com.github.sardine.Sardine;
import com.github.sardine.SardineFactory;
import com.github.sardine.Version;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.xml.namespace.QName;

/** Drives Sardine, which sends its password only when asked for it, and its bodies only when told to continue. */
final class SardineClient {
    private static final byte[] ONE = "1".getBytes(StandardCharsets.UTF_8);
    private static final byte[] LARGE = new byte[3_000_000];

    private SardineClient() {}

    public static void main(String[] arguments) throws Exception {
        // Its HTTP library logs each retry, also those that succeed.
        System.setProperty("org.apache.commons.logging.Log", "org.apache.commons.logging.impl.NoOpLog");
        System.out.println("sardine " + Version.getImplementation());
        new Random().nextBytes(LARGE);
        Sardine client = connected();
        Harness.step("folders", () -> folders(client));
        Harness.step("files", () -> files(client));
        Harness.step("streams", SardineClient::streams);
        Harness.step("hard names", () -> hardNames(client));
        Harness.step("properties", () -> properties(client));
        Harness.step("quota", () -> quota(client));
        Harness.step("lock", () -> lock(client));
        Harness.step("moves and copies", () -> moves(client));
        Harness.step("deletion", () -> deletion(client));
        Harness.finish();
    }

    private static Sardine connected() {
        Sardine client = SardineFactory.begin(System.getenv("YUNLAB_USER"), System.getenv("YUNLAB_APP_PASSWORD"));
        client.disablePreemptiveAuthentication();
        return client;
    }

    private static String url(String path) {
        return Harness.ORIGIN + "/disk/dav" + Harness.encoded(path);
    }

    private static String at(String name) {
        return Harness.FOLDER + "/" + name;
    }

    private static void folders(Sardine client) throws Exception {
        Harness.step("exists of nothing", () ->
                Harness.expect("exists of nothing", false, client.exists(url(Harness.FOLDER + "/"))));
        for (String folder : List.of("", "names/", "深/", "深/更 深/")) {
            client.createDirectory(url(at(folder)));
        }
        Harness.refused("a folder that is there", () -> client.createDirectory(url(at("深/"))));
        Harness.step("exists of a new folder", () ->
                Harness.expect("exists of a new folder", true, client.exists(url(at("深/更 深/")))));
    }

    private static void files(Sardine client) throws Exception {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        contents.put("empty", new byte[0]);
        contents.put("one", ONE);
        contents.put("large", LARGE);
        for (Map.Entry<String, byte[]> entry : contents.entrySet()) {
            String name = entry.getKey();
            client.put(url(at(name)), entry.getValue());
            Harness.expect(name + " on the server", entry.getValue(), Harness.stored(at(name)));
            Harness.expect(name + " read back", entry.getValue(), client.get(url(at(name))).readAllBytes());
            Harness.expect("exists of " + name, true, client.exists(url(at(name))));
        }
        Path file = Files.write(Path.of(System.getenv("YUNLAB_WORK"), "file"), LARGE);
        client.put(url(at("file")), file.toFile(), "application/octet-stream", true);
        Harness.expect("a file of this machine on the server", LARGE, Harness.stored(at("file")));
        Map<String, String> range = Map.of("Range", "bytes=1000000-1000099");
        byte[] part = client.get(url(at("large")), range).readAllBytes();
        Harness.expect("a range", Arrays.copyOfRange(LARGE, 1_000_000, 1_000_100), part);
    }

    /** What can be read once only, sent by clients of their own: one that was let in once says its password at once. */
    private static void streams() throws Exception {
        for (long length : new long[] {LARGE.length, -1}) {
            String name = length < 0 ? "a stream of unknown length" : "a stream of known length";
            Harness.step(name, () -> {
                connected().put(url(at(name)), once(LARGE), "application/octet-stream", true, length);
                Harness.expect(name + " on the server", LARGE, Harness.stored(at(name)));
            });
        }
        Harness.step("the password at once", () -> {
            Sardine client = connected();
            client.enablePreemptiveAuthentication(URI.create(Harness.ORIGIN).toURL());
            client.put(url(at("at once")), once(LARGE), "application/octet-stream", false);
            Harness.expect("at once on the server", LARGE, Harness.stored(at("at once")));
        });
    }

    private static InputStream once(byte[] content) {
        return new FilterInputStream(new ByteArrayInputStream(content)) {
            @Override
            public boolean markSupported() {
                return false;
            }
        };
    }

    private static void hardNames(Sardine client) throws Exception {
        for (String name : Harness.names()) {
            Harness.step("name " + name, () -> {
                String path = at("names/" + name);
                byte[] content = name.getBytes(StandardCharsets.UTF_8);
                client.put(url(path), content);
                Harness.expect(name + " on the server", content, Harness.stored(path));
                Harness.expect(name + " read back", content, client.get(url(path)).readAllBytes());
            });
        }
        Harness.expect("names in the list", sorted(Harness.names()), listed(client, "names/"));
    }

    private static void properties(Sardine client) throws Exception {
        DavResource large = client.list(url(at("large")), 0).get(0);
        Harness.expect("size", 3_000_000L, large.getContentLength());
        Harness.expect("there is an etag", true, large.getEtag() != null);
        Harness.expect("modified", Harness.modified(at("large")), large.getModified().toInstant());
        Harness.expect("a folder is one", true, client.list(url(at("深/")), 0).get(0).isDirectory());
        QName author = new QName("urn:example", "author", "e");
        client.patch(url(at("one")), Map.of(author, "梅 & Söhne"));
        Harness.expect("a property of its own", "梅 & Söhne",
                client.list(url(at("one")), 0, Set.of(author)).get(0).getCustomPropsNS().get(author));
        client.patch(url(at("one")), Map.of(new QName("DAV:", "lastmodified", "D"), "981173106"));
        Harness.expect("the time that was set", 981173106L, Harness.modified(at("one")).getEpochSecond());
        QName win32 = new QName("urn:schemas-microsoft-com:", "Win32LastModifiedTime", "Z");
        client.patch(url(at("one")), Map.of(win32, "Thu, 03 Jan 2019 10:00:00 GMT"));
        Harness.expect("the time that Windows set", 1546509600L, Harness.modified(at("one")).getEpochSecond());
    }

    private static void quota(Sardine client) throws Exception {
        for (String path : List.of("/", "/home/")) {
            Harness.expectRoom("quota at " + path, () -> {
                DavQuota quota = client.getQuota(url(path));
                return List.of(quota.getQuotaUsedBytes(), quota.getQuotaAvailableBytes());
            });
        }
    }

    private static void lock(Sardine client) throws Exception {
        String token = client.lock(url(at("large")));
        Harness.refused("a write without the lock's token", () -> connected().put(url(at("large")), ONE));
        client.refreshLock(url(at("large")), token, url(at("large")));
        client.unlock(url(at("large")), token);
        Harness.expect("a file that was locked", LARGE, Harness.stored(at("large")));
    }

    private static void moves(Sardine client) throws Exception {
        client.move(url(at("one")), url(at("改名 #1.txt")));
        Harness.expect("the renamed file", ONE, Harness.stored(at("改名 #1.txt")));
        Harness.refused("a move onto a file", () -> client.move(url(at("改名 #1.txt")), url(at("large")), false));
        client.copy(url(at("names/")), url(at("names 2/")));
        client.move(url(at("names 2/")), url(at("names 3/")));
        Harness.expect("names after a copy and a move", sorted(Harness.names()), listed(client, "names 3/"));
        Harness.expect("what was moved", null, Harness.rest("resources", at("names 2")));
    }

    private static void deletion(Sardine client) throws Exception {
        client.delete(url(at("large")));
        Harness.expect("exists of a deleted file", false, client.exists(url(at("large"))));
        client.delete(url(Harness.FOLDER + "/"));
        Harness.expect("exists of the deleted folder", false, client.exists(url(Harness.FOLDER + "/")));
    }

    /** The names in a folder; the folder itself is the first of what is listed. */
    private static List<String> listed(Sardine client, String folder) throws Exception {
        return sorted(client.list(url(at(folder))).stream().skip(1).map(DavResource::getName).toList());
    }

    private static List<String> sorted(List<String> names) {
        return names.stream().sorted().toList();
    }
}
