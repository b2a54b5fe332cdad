<?php

declare(strict_types=1);

use Firebase\JWT\JWT;
use Firebase\JWT\Key;
use Lcobucci\JWT\Configuration;
use Lcobucci\JWT\Encoding\JoseEncoder;
use Lcobucci\JWT\Signer\None;
use Lcobucci\JWT\Token\Parser;

function user(string $token): string
{
    // ruleid: jwt-unverified
    $claims = json_decode(base64_decode(explode('.', $token)[1]));
    return $claims->sub;
}

function user_verified(string $token, string $key): string
{
    // ok: jwt-unverified
    return JWT::decode($token, new Key($key, 'HS256'))->sub;
}

function user_old(string $token): string
{
    // ruleid: jwt-unverified
    return JWT::decode($token, null, false)->sub;
}

function accept_none(string $token): object
{
    // ruleid: jwt-unverified
    return JWT::decode($token, new Key('', 'none'));
}

function by_key_id(string $token, array $keys): object
{
    // ok: jwt-unverified
    $head = json_decode(JWT::urlsafeB64Decode(explode('.', $token)[0]));
    // ok: jwt-unverified
    return JWT::decode($token, new Key($keys[$head->kid], 'RS256'));
}

function admin(string $token): bool
{
    $parser = new Parser(new JoseEncoder());
    // ruleid: jwt-unverified
    return $parser->parse($token)->claims()->get('admin') === true;
}

function unsecured(): Configuration
{
    // ruleid: jwt-unverified
    return Configuration::forUnsecuredSigner();
}

function verified(string $token, Configuration $config): bool
{
    // ok: jwt-unverified
    $parsed = $config->parser()->parse($token);
    $config->validator()->assert($parsed, ...$config->validationConstraints());
    return $parsed->claims()->get('admin') === true;
}

function issue(array $claims, string $key): string
{
    // ok: jwt-unverified
    return JWT::encode($claims, $key, 'HS256');
}

function issue_none(Configuration $config): string
{
    // ruleid: jwt-unverified
    return $config->builder()->relatedTo('anna')->getToken(new None(), $config->signingKey())->toString();
}

function explain(): string
{
    // ok: jwt-unverified
    return 'JWT::decode($token, null, false) is not supported by version 6.';
}
