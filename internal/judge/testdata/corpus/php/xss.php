<?php

declare(strict_types=1);

use Illuminate\Http\Request;
use Illuminate\Support\HtmlString;

function hello(): void
{
    // ruleid: xss
    echo '<h1>Hello ' . $_GET['name'] . '</h1>';
}

function hello_safe(): void
{
    // ok: xss
    echo '<h1>Hello ' . htmlspecialchars($_GET['name'], ENT_QUOTES, 'UTF-8') . '</h1>';
}

function search(): void
{
    $q = $_GET['q'] ?? '';
    if (strlen($q) > 80) {
        $q = substr($q, 0, 80);
    }
    // ruleid: xss
    echo "<p>Nothing found for $q</p>";
}

function search_safe(): void
{
    $q = htmlentities($_GET['q'] ?? '');
    // ok: xss
    echo "<p>Nothing found for $q</p>";
}

function page_number(): void
{
    // ok: xss
    echo '<p>Page ' . (int) $_GET['page'] . '</p>';
}

function entry(): void
{
    // ruleid: xss
    printf('<div class="entry">%s</div>', $_POST['entry']);
}

function entry_safe(): void
{
    // ok: xss
    printf('<div class="entry">%s</div>', htmlspecialchars($_POST['entry']));
}

function footer(): void
{
    // ok: xss
    echo '<footer>' . 'Forum, since 2009' . '</footer>';
}

function profile(Request $request)
{
    // ruleid: xss
    return response('<b>' . $request->input('nick') . '</b>');
}

function profile_safe(Request $request)
{
    // ok: xss
    return response('<b>' . e($request->input('nick')) . '</b>');
}

function signature(Request $request): HtmlString
{
    $text = $request->query('signature');
    // ruleid: xss
    return new HtmlString('<em>' . $text . '</em>');
}

function api(): void
{
    header('Content-Type: application/json');
    // ok: xss
    echo json_encode(['name' => $_GET['name']], JSON_THROW_ON_ERROR);
}

function form(): void
{
    // ruleid: xss
    print '<input name="city" value="'
        . $_REQUEST['city']
        . '">';
}

function welcome(): void
{
    $nick = $_COOKIE['nick'] ?? null;
    if ($nick === null) {
        header('Location: /login');
        return;
    }
    $line = '<p>Welcome back, ' . $nick . '</p>';
    // ruleid: xss
    echo $line;
}

function pages(): void
{
    $pages = (int) $_GET['pages'];
    // ok: xss
    echo "<b>$pages pages</b>";
}
