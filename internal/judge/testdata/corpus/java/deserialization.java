package jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.thoughtworks.xstream.XStream;
import jakarta.servlet.http.HttpServletRequest;
import java.beans.XMLDecoder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.Socket;
import java.util.Base64;
import java.util.Map;
import org.apache.commons.lang3.SerializationUtils;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

class JobReader {
    private final ObjectMapper mapper = new ObjectMapper();

    Object read(HttpServletRequest req) throws Exception {
        // ruleid: deserialization
        return new ObjectInputStream(req.getInputStream()).readObject();
    }

    Object readJson(HttpServletRequest req) throws IOException {
        // ok: deserialization
        return mapper.readValue(req.getInputStream(), Job.class);
    }

    Object cookie(HttpServletRequest req) throws Exception {
        byte[] raw = Base64.getDecoder().decode(req.getHeader("X-Job"));
        try (ByteArrayInputStream bytes = new ByteArrayInputStream(raw);
            // ruleid: deserialization
            ObjectInputStream in = new ObjectInputStream(bytes)) {
            return in.readObject();
        }
    }

    Object filtered(byte[] raw) throws Exception {
        // ok: deserialization
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(raw));
        in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("jobs.Job;java.base/*;!*"));
        return in.readObject();
    }

    Object xml(HttpServletRequest req) throws IOException {
        // ruleid: deserialization
        return new XMLDecoder(req.getInputStream()).readObject();
    }

    Object stream(HttpServletRequest req) throws IOException {
        // ruleid: deserialization
        return new XStream().fromXML(req.getReader());
    }

    Map<String, Object> yaml(HttpServletRequest req) throws IOException {
        // ruleid: deserialization
        return new Yaml().load(req.getInputStream());
    }

    Map<String, Object> yamlSafe(HttpServletRequest req) throws IOException {
        // ok: deserialization
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(req.getInputStream());
    }

    Object socket(Socket peer) throws Exception {
        byte[] body = peer.getInputStream().readAllBytes();
        // ruleid: deserialization
        return SerializationUtils.deserialize(body);
    }

    byte[] write(Serializable job) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        // ok: deserialization
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(job);
        }
        return bytes.toByteArray();
    }

    Job copy(Job job) {
        // ok: deserialization
        return SerializationUtils.clone(job);
    }

    String help() {
        // ok: deserialization
        return "new ObjectInputStream(in).readObject() was replaced by JSON in version 4";
    }

    static class Job implements Serializable {
        String name;
    }
}
