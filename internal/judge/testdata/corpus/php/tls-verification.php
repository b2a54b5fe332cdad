<?php

declare(strict_types=1);

use GuzzleHttp\Client;
use Illuminate\Support\Facades\Http;

function charge(string $body): string
{
    $ch = curl_init('https://pay.example.net/charge');
    curl_setopt($ch, CURLOPT_POSTFIELDS, $body);
    // ruleid: tls-verification
    curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);
    return (string) curl_exec($ch);
}

function charge_safe(string $body): string
{
    $ch = curl_init('https://pay.example.net/charge');
    curl_setopt($ch, CURLOPT_POSTFIELDS, $body);
    // ok: tls-verification
    curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, true);
    // ok: tls-verification
    curl_setopt($ch, CURLOPT_SSL_VERIFYHOST, 2);
    return (string) curl_exec($ch);
}

function status(): string
{
    $ch = curl_init();
    curl_setopt_array($ch, [
        CURLOPT_URL => 'https://pay.example.net/status',
        CURLOPT_RETURNTRANSFER => true,
        // ruleid: tls-verification
        CURLOPT_SSL_VERIFYHOST => 0,
    ]);
    return (string) curl_exec($ch);
}

function status_safe(): string
{
    $ch = curl_init();
    curl_setopt_array($ch, [
        CURLOPT_URL => 'https://pay.example.net/status',
        CURLOPT_RETURNTRANSFER => true,
        // ok: tls-verification
        CURLOPT_SSL_VERIFYPEER => 1,
        CURLOPT_CAINFO => '/etc/ssl/partner.pem',
    ]);
    return (string) curl_exec($ch);
}

function guzzle(): Client
{
    // ruleid: tls-verification
    return new Client(['base_uri' => 'https://pay.example.net', 'verify' => false]);
}

function guzzle_safe(): Client
{
    // ok: tls-verification
    return new Client(['base_uri' => 'https://pay.example.net', 'verify' => '/etc/ssl/partner.pem']);
}

function laravel(): string
{
    // ruleid: tls-verification
    return Http::withoutVerifying()->get('https://pay.example.net/rates')->body();
}

function laravel_safe(): string
{
    // ok: tls-verification
    return Http::timeout(5)->get('https://pay.example.net/rates')->body();
}

function stream(): string
{
    $context = stream_context_create([
        'ssl' => [
            // ruleid: tls-verification
            'verify_peer' => false,
            // ruleid: tls-verification
            'verify_peer_name' => false,
        ],
    ]);
    return (string) file_get_contents('https://pay.example.net/', false, $context);
}

function stream_safe(): string
{
    $context = stream_context_create([
        'ssl' => [
            // ok: tls-verification
            'verify_peer' => true,
            'allow_self_signed' => false,
        ],
    ]);
    return (string) file_get_contents('https://pay.example.net/', false, $context);
}
