<?php

declare(strict_types=1);

use Twig\Environment;
use Twig\Loader\ArrayLoader;

const PAGES = ['home' => 'home.php', 'help' => 'help.php'];

function calc(): mixed
{
    // ruleid: code-injection
    return eval('return ' . $_POST['expression'] . ';');
}

function calc_safe(): int
{
    // ok: code-injection
    return array_sum(array_map('intval', explode('+', $_POST['expression'])));
}

function page(): void
{
    // ruleid: code-injection
    include 'pages/' . $_GET['page'] . '.php';
}

function page_safe(): void
{
    // ok: code-injection
    include __DIR__ . '/pages/' . (PAGES[$_GET['page']] ?? 'home.php');
}

function bootstrap(): void
{
    // ok: code-injection
    require_once __DIR__ . '/../vendor/autoload.php';
}

function sort_rows(array $rows): array
{
    $key = $_GET['key'];
    // ruleid: code-injection
    usort($rows, create_function('$a, $b', "return strcmp(\$a['$key'], \$b['$key']);"));
    return $rows;
}

function sort_rows_safe(array $rows): array
{
    $key = $_GET['key'];
    // ok: code-injection
    usort($rows, fn (array $a, array $b): int => strcmp($a[$key] ?? '', $b[$key] ?? ''));
    return $rows;
}

function call(): mixed
{
    $name = $_GET['function'];
    // ruleid: code-injection
    return call_user_func($name, $_GET['argument']);
}

function call_fixed(string $text): string
{
    // ok: code-injection
    return call_user_func('strtoupper', $text);
}

function mail_body(): string
{
    $twig = new Environment(new ArrayLoader());
    // ruleid: code-injection
    return $twig->createTemplate($_POST['template'])->render(['name' => 'Anna']);
}

function mail_body_safe(): string
{
    $twig = new Environment(new ArrayLoader(['mail' => 'Hello {{ name }}']));
    // ok: code-injection
    return $twig->render('mail', ['name' => $_POST['name']]);
}

function check(): bool
{
    // ruleid: code-injection
    return assert(
        "strlen('" . $_GET['name'] . "') > 3"
    );
}

function usage(): string
{
    // ok: code-injection
    return 'eval($_POST["expression"]) was removed in version 3.';
}
