<?php

declare(strict_types=1);

use Illuminate\Http\Request;
use Illuminate\Support\Facades\Storage;

const ROOT = '/srv/files';

function download(): void
{
    // ruleid: path-traversal
    readfile(ROOT . '/' . $_GET['file']);
}

function download_safe(): void
{
    // ok: path-traversal
    readfile(ROOT . '/' . basename($_GET['file']));
}

function note(): string
{
    $name = $_GET['note'] ?? '';
    if ($name === '') {
        http_response_code(404);
        return '';
    }
    // ruleid: path-traversal
    return (string) file_get_contents("/srv/notes/$name.txt");
}

function note_checked(): string
{
    $full = realpath('/srv/notes/' . ($_GET['note'] ?? ''));
    if ($full === false || !str_starts_with($full, '/srv/notes/')) {
        http_response_code(403);
        return '';
    }
    // ok: path-traversal
    return (string) file_get_contents($full);
}

function upload(): void
{
    // ruleid: path-traversal
    move_uploaded_file($_FILES['photo']['tmp_name'], ROOT . '/' . $_POST['name']);
}

function upload_safe(): void
{
    // ok: path-traversal
    move_uploaded_file($_FILES['photo']['tmp_name'], ROOT . '/' . bin2hex(random_bytes(16)) . '.jpg');
}

function remove(): void
{
    $victim = $_POST['file'];
    // ruleid: path-traversal
    unlink(
        ROOT . '/' . $victim
    );
}

function config(): array
{
    // ok: path-traversal
    return json_decode(file_get_contents(__DIR__ . '/../config/app.json'), true);
}

function invoice(Request $request)
{
    // ruleid: path-traversal
    return response()->download(storage_path('invoices/' . $request->input('name')));
}

function invoice_safe(Request $request)
{
    // ok: path-traversal
    return response()->download(storage_path('invoices/' . (int) $request->input('number') . '.pdf'));
}

function lines(): array
{
    $log = $_REQUEST['log'];
    // ruleid: path-traversal
    $handle = fopen('/var/log/app/' . $log, 'rb');
    $rows = explode("\n", stream_get_contents($handle));
    fclose($handle);
    return $rows;
}

function logo(): string
{
    // ok: path-traversal
    return Storage::disk('public')->get('images/logo.svg');
}

function style(): void
{
    $theme = $_COOKIE['theme'] ?? 'light';
    header('Content-Type: text/css');
    $folder = '/srv/themes/' . $theme;
    // ruleid: path-traversal
    readfile($folder . '/style.css');
}

function style_known(): void
{
    $theme = ($_COOKIE['theme'] ?? '') === 'dark' ? 'dark' : 'light';
    // ok: path-traversal
    readfile('/srv/themes/' . $theme . '/style.css');
}
