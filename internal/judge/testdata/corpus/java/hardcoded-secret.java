package config;

import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Value;

class Settings {
    // ruleid: hardcoded-secret
    static final String API_KEY = "mK7xQ2vT9zLw4RpN8bYd3JcH6fGs1AuE";

    // ok: hardcoded-secret
    static final String API_KEY_HEADER = "X-Api-Key";

    // ok: hardcoded-secret
    static final String PASSWORD_PARAMETER = "j_password";

    // ok: hardcoded-secret
    @Value("${partner.api.secret}") private String partnerSecret;

    // ok: hardcoded-secret
    private final String token = System.getenv("PARTNER_TOKEN");

    // ruleid: hardcoded-secret
    private String dbPassword = "Wz8_kRq5vLt2";

    // ok: hardcoded-secret
    private String samplePassword = "changeme";

    Connection connect() throws SQLException {
        // ruleid: hardcoded-secret
        return DriverManager.getConnection("jdbc:postgresql://db.internal/shop", "shop", "Lp4!xTz7qVn9");
    }

    Connection connectWith(String password) throws SQLException {
        // ok: hardcoded-secret
        return DriverManager.getConnection("jdbc:postgresql://db.internal/shop", "shop", password);
    }

    AWSStaticCredentialsProvider aws() {
        return new AWSStaticCredentialsProvider(
            // ruleid: hardcoded-secret
            new BasicAWSCredentials("AKIA2ZQX7WLTRN5KVJ4P", "x7Tq2Lz9Rv0Wk5Hf3Yc8Pd1JmNs6GuAoEbQi4+Zt"));
    }

    AWSStaticCredentialsProvider awsExample() {
        return new AWSStaticCredentialsProvider(
            // ok: hardcoded-secret
            new BasicAWSCredentials("AKIAIOSFODNN7EXAMPLE", System.getenv("AWS_SECRET_ACCESS_KEY")));
    }

    SecretKeySpec key() {
        // ruleid: hardcoded-secret
        return new SecretKeySpec("Xq93LmTz7vRk20Pw".getBytes(), "AES");
    }

    String slack() {
        // ruleid: hardcoded-secret
        return "xoxb-2847561930-5938271640-Qz7LmXw3TkRv9YpNcHd5JbGf";
    }

    String masked() {
        // ok: hardcoded-secret
        return "password=********";
    }
}
