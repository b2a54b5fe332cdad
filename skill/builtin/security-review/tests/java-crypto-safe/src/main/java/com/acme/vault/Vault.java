package com.acme.vault;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import java.io.FileInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.xml.parsers.DocumentBuilderFactory;

public class Vault {
    private static final String TRANSFORMATION = "AES/GCM/NoPadding"; // not "AES/ECB/PKCS5Padding"

    byte[] seal(SecretKey key, byte[] iv, byte[] text) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
        return cipher.doFinal(text);
    }

    byte[] fingerprint(byte[] text) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(text);
    }

    String subject(Algorithm algorithm, String token) {
        return JWT.require(algorithm).withAudience("vault").build().verify(token).getSubject();
    }

    byte[] icon() throws IOException {
        try (FileInputStream in = new FileInputStream("/usr/share/vault/icon.png")) {
            return in.readAllBytes();
        }
    }

    DocumentBuilderFactory xml() throws Exception {
        DocumentBuilderFactory f = DocumentBuilderFactory.newInstance();
        f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return f;
    }
}
