<?php

declare(strict_types=1);

namespace Shop;

final class Accounts
{
    public function __construct(private \PDO $db)
    {
    }

    public function register(string $email, string $password): void
    {
        $hash = md5($password); // want high "fast hash"
        $statement = $this->db->prepare('INSERT INTO accounts (email, hash) VALUES (?, ?)');
        $statement->execute([$email, $hash]);
    }

    public function forget(): mixed
    {
        $cart = unserialize($_COOKIE['cart']); // want high "deserialized"
        return $cart;
    }

    public function avatar(string $url): string
    {
        $ch = curl_init($url);
        curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
        curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false); // want high "not verified"
        return (string) curl_exec($ch);
    }

    public function seal(string $text, string $key): string
    {
        return openssl_encrypt($text, 'aes-128-ecb', $key); // want medium "cipher or mode"
    }
}
