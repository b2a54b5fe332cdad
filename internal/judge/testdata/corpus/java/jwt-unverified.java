package session;

import com.auth0.jwt.JWT;
import com.auth0.jwt.algorithms.Algorithm;
import com.auth0.jwt.interfaces.DecodedJWT;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.jsonwebtoken.Claims;
import io.jsonwebtoken.Jwts;
import jakarta.servlet.http.HttpServletRequest;
import java.security.interfaces.RSAPublicKey;
import java.util.Map;
import javax.crypto.SecretKey;

class Tokens {
    private final Map<String, RSAPublicKey> keys;
    private final SecretKey key;

    Tokens(Map<String, RSAPublicKey> keys, SecretKey key) {
        this.keys = keys;
        this.key = key;
    }

    String user(HttpServletRequest req) {
        // ruleid: jwt-unverified
        return JWT.decode(req.getHeader("X-Token")).getSubject();
    }

    String userVerified(HttpServletRequest req, RSAPublicKey pub) {
        // ok: jwt-unverified
        return JWT.require(Algorithm.RSA256(pub)).build().verify(req.getHeader("X-Token")).getSubject();
    }

    boolean admin(String token) {
        // ruleid: jwt-unverified
        DecodedJWT jwt = JWT.decode(token);
        return jwt.getClaim("admin").asBoolean();
    }

    String byKeyId(String token) {
        // ok: jwt-unverified
        DecodedJWT head = JWT.decode(token);
        RSAPublicKey pub = keys.get(head.getKeyId());
        // ok: jwt-unverified
        return JWT.require(Algorithm.RSA256(pub)).withIssuer("login").build().verify(token).getSubject();
    }

    Claims unsigned(String token) {
        // ruleid: jwt-unverified
        return Jwts.parser().unsecured().build().parseUnsecuredClaims(token).getPayload();
    }

    Claims old(String token) {
        // ruleid: jwt-unverified
        return (Claims) Jwts.parserBuilder().setSigningKey(key).build().parse(token).getBody();
    }

    Claims signed(String token) {
        // ok: jwt-unverified
        return Jwts.parser()
            .verifyWith(key)
            .build()
            .parseSignedClaims(token)
            .getPayload();
    }

    String nimbus(String token) throws Exception {
        // ruleid: jwt-unverified
        return JWTParser.parse(token).getJWTClaimsSet().getStringClaim("role");
    }

    String nimbusVerified(String token, RSAPublicKey pub) throws Exception {
        // ok: jwt-unverified
        SignedJWT jwt = SignedJWT.parse(token);
        if (!jwt.verify(new RSASSAVerifier(pub))) {
            throw new SecurityException("signature");
        }
        return jwt.getJWTClaimsSet().getSubject();
    }

    String issue(String user) {
        // ruleid: jwt-unverified
        return JWT.create().withSubject(user).sign(Algorithm.none());
    }

    String issueSigned(String user, byte[] secret) {
        // ok: jwt-unverified
        return JWT.create().withSubject(user).sign(Algorithm.HMAC256(secret));
    }

    String plain(String token) throws Exception {
        // ruleid: jwt-unverified
        return PlainJWT.parse(token).getJWTClaimsSet().getSubject();
    }

    String help() {
        // ok: jwt-unverified
        return "JWT.decode(token) and Algorithm.none() do not check who made a token.";
    }
}
