package com.acme.vault;

import com.auth0.jwt.JWT;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.xml.parsers.DocumentBuilderFactory;

public class Vault {
    byte[] seal(SecretKey key, byte[] text) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/ECB/PKCS5Padding"); // want medium "cipher or mode"
        cipher.init(Cipher.ENCRYPT_MODE, key);
        return cipher.doFinal(text);
    }

    byte[] fingerprint(byte[] text) throws GeneralSecurityException {
        return MessageDigest.getInstance("MD5").digest(text); // want low "hash"
    }

    Object receive(Socket socket) throws IOException, ClassNotFoundException {
        // want high "deserialized"
        try (ObjectInputStream in = new ObjectInputStream(socket.getInputStream())) {
            return in.readObject();
        }
    }

    String subject(String token) {
        return JWT.decode(token).getSubject(); // want high "without a signature"
    }

    DocumentBuilderFactory xml() throws Exception {
        DocumentBuilderFactory f = DocumentBuilderFactory.newInstance();
        f.setFeature("http://xml.org/sax/features/external-general-entities", true); // want high "external entities"
        return f;
    }
}
