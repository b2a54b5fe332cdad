package invite;

import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Collections;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.commons.lang3.RandomStringUtils;

class Codes {
    private static final String ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    private static final SecureRandom SECURE = new SecureRandom();

    String sessionToken() {
        // ruleid: predictable-random
        String token = Long.toHexString(new Random().nextLong());
        return token;
    }

    String sessionTokenStrong() {
        byte[] b = new byte[32];
        // ok: predictable-random
        SECURE.nextBytes(b);
        return Base64.getUrlEncoder().encodeToString(b);
    }

    String resetCode() {
        // ruleid: predictable-random
        String resetCode = String.format("%06d", (int) (Math.random() * 1_000_000));
        return resetCode;
    }

    String resetCodeStrong() {
        // ok: predictable-random
        return String.format("%06d", SECURE.nextInt(1_000_000));
    }

    String password(int n) {
        Random random = new Random(System.currentTimeMillis());
        StringBuilder password = new StringBuilder();
        for (int i = 0; i < n; i++) {
            // ruleid: predictable-random
            password.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return password.toString();
    }

    byte[] salt() {
        byte[] salt = new byte[16];
        // ruleid: predictable-random
        ThreadLocalRandom.current().nextBytes(salt);
        return salt;
    }

    String apiKey() {
        // ruleid: predictable-random
        String apiKey = RandomStringUtils.randomAlphanumeric(40);
        return apiKey;
    }

    String id() {
        // ok: predictable-random
        return UUID.randomUUID().toString();
    }

    int dice() {
        // ok: predictable-random
        return ThreadLocalRandom.current().nextInt(1, 7);
    }

    long backoff(int attempt) {
        // ok: predictable-random
        return (1L << attempt) * 100 + (long) (Math.random() * 100);
    }

    void shuffle(List<String> deck) {
        // ok: predictable-random
        Collections.shuffle(deck, new Random(7));
    }
}
