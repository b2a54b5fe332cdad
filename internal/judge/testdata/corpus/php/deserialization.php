<?php

declare(strict_types=1);

use Illuminate\Http\Request;
use Symfony\Component\Yaml\Yaml;

function cart(): array
{
    // ruleid: deserialization
    return unserialize($_COOKIE['cart']);
}

function cart_safe(): array
{
    // ok: deserialization
    return json_decode($_COOKIE['cart'], true, 8, JSON_THROW_ON_ERROR);
}

function cart_scalars(): array
{
    // ok: deserialization
    return unserialize($_COOKIE['cart'], ['allowed_classes' => false]);
}

function settings(): object
{
    $raw = base64_decode($_POST['settings']);
    if ($raw === false) {
        throw new RuntimeException('settings');
    }
    // ruleid: deserialization
    return unserialize($raw);
}

function job(Request $request): object
{
    // ruleid: deserialization
    return unserialize(gzuncompress($request->getContent()));
}

function state(Request $request): object
{
    $state = $request->input('state');
    // ruleid: deserialization
    return unserialize(
        $state,
        ['allowed_classes' => true]
    );
}

function remember(array $rows): void
{
    // ok: deserialization
    file_put_contents('/srv/cache/rows.ser', serialize($rows));
}

function fixed(): array
{
    // ok: deserialization
    return unserialize('a:1:{i:0;s:5:"ready";}');
}

function compose(string $path): array
{
    // ok: deserialization
    return Yaml::parseFile($path);
}

function yaml_objects(): mixed
{
    // ruleid: deserialization
    return Yaml::parse($_POST['yaml'], Yaml::PARSE_OBJECT);
}

function session_import(): void
{
    $data = $_POST['session'];
    // ruleid: deserialization
    session_decode($data);
}

function help(): string
{
    // unserialize($_COOKIE['cart']) was replaced by JSON.
    // ok: deserialization
    return 'Carts are JSON now, unserialize() is not used.';
}
