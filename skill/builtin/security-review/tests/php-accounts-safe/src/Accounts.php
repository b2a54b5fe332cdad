<?php

declare(strict_types=1);

namespace Shop;

final class Accounts
{
    public function __construct(private \PDO $db)
    {
    }

    /** Accounts of before 2019 have md5($password). */
    public function register(string $email, string $password): void
    {
        $hash = password_hash($password, PASSWORD_ARGON2ID);
        $statement = $this->db->prepare('INSERT INTO accounts (email, hash) VALUES (?, ?)');
        $statement->execute([$email, $hash]);
    }

    public function cart(): array
    {
        return json_decode($_COOKIE['cart'] ?? '[]', true, 8, JSON_THROW_ON_ERROR);
    }

    public function cached(string $row): mixed
    {
        return unserialize($row, ['allowed_classes' => false]);
    }

    public function avatar(string $url): string
    {
        $ch = curl_init($url);
        curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
        curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, true);
        return (string) curl_exec($ch);
    }

    public function seal(string $text, string $key, string $iv): string
    {
        return openssl_encrypt($text, 'aes-256-gcm', $key, OPENSSL_RAW_DATA, $iv, $tag) . $tag;
    }
}
