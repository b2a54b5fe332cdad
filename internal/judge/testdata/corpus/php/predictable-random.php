<?php

declare(strict_types=1);

use Illuminate\Support\Str;

const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

function session_token(): string
{
    // ruleid: predictable-random
    $token = md5(uniqid((string) mt_rand(), true));
    return $token;
}

function session_token_strong(): string
{
    // ok: predictable-random
    $token = bin2hex(random_bytes(32));
    return $token;
}

function reset_code(): string
{
    // ruleid: predictable-random
    $resetCode = sprintf('%06d', rand(0, 999999));
    return $resetCode;
}

function reset_code_strong(): string
{
    // ok: predictable-random
    $resetCode = sprintf('%06d', random_int(0, 999999));
    return $resetCode;
}

function password(int $length): string
{
    $password = '';
    for ($i = 0; $i < $length; $i++) {
        // ruleid: predictable-random
        $password .= ALPHABET[mt_rand(0, strlen(ALPHABET) - 1)];
    }
    return $password;
}

function api_key(array &$user): void
{
    // ruleid: predictable-random
    $user['api_key'] = substr(str_shuffle(ALPHABET . ALPHABET), 0, 40);
}

function csrf(): void
{
    // ruleid: predictable-random
    $_SESSION['csrf_token'] = sha1((string) microtime(true) . rand());
}

function invite(): string
{
    // ok: predictable-random
    return Str::random(40);
}

function dice(): int
{
    // ok: predictable-random
    return mt_rand(1, 6);
}

function banner(array $banners): string
{
    // ok: predictable-random
    return $banners[array_rand($banners)];
}

function backoff(int $attempt): void
{
    // ok: predictable-random
    usleep((2 ** $attempt) * 1000 + rand(0, 1000));
}
