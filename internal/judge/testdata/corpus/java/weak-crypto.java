package account;

import java.nio.charset.StandardCharsets;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.commons.codec.digest.DigestUtils;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

class Passwords {
    String hash(String password) throws Exception {
        // ruleid: weak-crypto
        byte[] sum = MessageDigest.getInstance("MD5").digest(password.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(sum);
    }

    String hashNew(String password) {
        // ok: weak-crypto
        return new BCryptPasswordEncoder(12).encode(password);
    }

    boolean matches(String password, String salt, String stored) {
        // ruleid: weak-crypto
        return stored.equals(DigestUtils.sha1Hex(salt + password));
    }

    byte[] derive(char[] password, byte[] salt) throws Exception {
        // ok: weak-crypto
        SecretKeyFactory f = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");
        return f.generateSecret(new PBEKeySpec(password, salt, 600_000, 256)).getEncoded();
    }

    String etag(byte[] body) {
        // ok: weak-crypto
        return '"' + DigestUtils.md5Hex(body) + '"';
    }

    String contentMd5(byte[] body) throws Exception {
        // ok: weak-crypto
        return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(body));
    }
}

class Seals {
    byte[] des(byte[] key, byte[] plain) throws Exception {
        // ruleid: weak-crypto
        Cipher c = Cipher.getInstance("DES/CBC/PKCS5Padding");
        c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "DES"));
        return c.doFinal(plain);
    }

    byte[] ecb(SecretKey key, byte[] plain) throws Exception {
        // ruleid: weak-crypto
        Cipher c = Cipher.getInstance(
            "AES/ECB/PKCS5Padding");
        c.init(Cipher.ENCRYPT_MODE, key);
        return c.doFinal(plain);
    }

    byte[] rc4(SecretKey key, byte[] plain) throws Exception {
        // ruleid: weak-crypto
        Cipher c = Cipher.getInstance("RC4");
        c.init(Cipher.ENCRYPT_MODE, key);
        return c.doFinal(plain);
    }

    byte[] gcm(SecretKey key, byte[] iv, byte[] plain) throws Exception {
        // ok: weak-crypto
        Cipher c = Cipher.getInstance("AES/GCM/NoPadding");
        c.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
        return c.doFinal(plain);
    }

    SSLContext oldTls() throws Exception {
        // ruleid: weak-crypto
        return SSLContext.getInstance("TLSv1");
    }

    void enable(SSLSocket socket) {
        // ruleid: weak-crypto
        socket.setEnabledProtocols(new String[] {"SSLv3", "TLSv1", "TLSv1.2"});
    }

    void enableNew(SSLSocket socket) {
        // ok: weak-crypto
        socket.setEnabledProtocols(new String[] {"TLSv1.2", "TLSv1.3"});
    }

    KeyPairGenerator keys() throws Exception {
        KeyPairGenerator g = KeyPairGenerator.getInstance("RSA");
        // ok: weak-crypto
        g.initialize(3072, new SecureRandom());
        return g;
    }
}
