<?php

declare(strict_types=1);

function hash_for(string $password): string
{
    // ruleid: weak-crypto
    return md5($password);
}

function hash_new(string $password): string
{
    // ok: weak-crypto
    return password_hash($password, PASSWORD_DEFAULT);
}

function matches(array $user, string $password): bool
{
    // ruleid: weak-crypto
    return hash_equals($user['password'], sha1($user['salt'] . $password));
}

function matches_new(array $user, string $password): bool
{
    // ok: weak-crypto
    return password_verify($password, $user['password']);
}

function register(PDO $db): void
{
    $st = $db->prepare('INSERT INTO users (name, password) VALUES (?, ?)');
    // ruleid: weak-crypto
    $st->execute([$_POST['name'], hash('md5', $_POST['password'])]);
}

function etag(string $body): void
{
    // ok: weak-crypto
    header('ETag: "' . md5($body) . '"');
}

function cache_key(string $sql): string
{
    // ok: weak-crypto
    return 'query:' . sha1($sql);
}

function gravatar(string $mail): string
{
    // ok: weak-crypto
    return 'https://www.gravatar.com/avatar/' . md5(strtolower(trim($mail)));
}

function seal(string $plain, string $key): string
{
    // ruleid: weak-crypto
    return openssl_encrypt($plain, 'des-cbc', $key, 0, '12345678');
}

function seal_ecb(string $plain, string $key): string
{
    // ruleid: weak-crypto
    return openssl_encrypt(
        $plain,
        'AES-128-ECB',
        $key,
    );
}

function seal_gcm(string $plain, string $key): string
{
    $iv = random_bytes(12);
    // ok: weak-crypto
    $body = openssl_encrypt($plain, 'aes-256-gcm', $key, OPENSSL_RAW_DATA, $iv, $tag);
    return $iv . $tag . $body;
}

function seal_old(string $plain, string $key): string
{
    // ruleid: weak-crypto
    return mcrypt_encrypt(MCRYPT_DES, $key, $plain, MCRYPT_MODE_ECB);
}

function old_tls(): CurlHandle
{
    $ch = curl_init('https://pay.example.net');
    // ruleid: weak-crypto
    curl_setopt($ch, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_0);
    return $ch;
}

function new_tls(): CurlHandle
{
    $ch = curl_init('https://pay.example.net');
    // ok: weak-crypto
    curl_setopt($ch, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    return $ch;
}
