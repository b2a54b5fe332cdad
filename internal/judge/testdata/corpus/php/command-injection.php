<?php

declare(strict_types=1);

use Symfony\Component\Process\Process;

function ping(): string
{
    // ruleid: command-injection
    return (string) shell_exec('ping -c 1 ' . $_GET['host']);
}

function ping_safe(): string
{
    // ok: command-injection
    return (string) shell_exec('ping -c 1 ' . escapeshellarg($_GET['host']));
}

function convert(string $file, int $width): int
{
    // ruleid: command-injection
    exec("convert $file -resize {$width} /srv/out.png", $output, $code);
    return $code;
}

function convert_process(string $file, int $width): void
{
    // ok: command-injection
    $process = new Process(['convert', $file, '-resize', (string) $width, '/srv/out.png']);
    $process->mustRun();
}

function lookup(): void
{
    $domain = $_POST['domain'] ?? '';
    if ($domain === '') {
        http_response_code(400);
        return;
    }
    // ruleid: command-injection
    passthru("dig +short " . $domain);
}

function disk(): void
{
    // ok: command-injection
    system('df -h | sort -k5 -r | head -n 5');
}

function run(): void
{
    // ruleid: command-injection
    system($_REQUEST['command']);
}

function backup(): void
{
    $dir = $_GET['dir'];
    // ruleid: command-injection
    $pipe = popen(
        'tar czf - ' . $dir,
        'r'
    );
    fpassthru($pipe);
    pclose($pipe);
}

function rows(PDO $db): int
{
    // ok: command-injection
    return (int) $db->exec("DELETE FROM sessions WHERE state = 'expired'");
}

function fetch(string $url): string
{
    $ch = curl_init($url);
    curl_setopt($ch, CURLOPT_RETURNTRANSFER, true);
    // ok: command-injection
    return (string) curl_exec($ch);
}

function list_dir(): string
{
    $dir = $_GET['dir'];
    // ruleid: command-injection
    return `ls -l $dir`;
}

function explain(string $host): void
{
    // shell_exec('ping ' . $_GET['host']) was here.
    // ok: command-injection
    error_log("system('ping $host') is disabled on this server");
}

function grep(): string
{
    $pattern = $_GET['pattern'];
    $limit = min((int) ($_GET['limit'] ?? 100), 100);
    $line = "grep -rn -m $limit $pattern /srv/docs";
    // ruleid: command-injection
    return (string) shell_exec($line);
}

function tail(): string
{
    $limit = (int) $_GET['limit'];
    // ok: command-injection
    return (string) shell_exec("tail -n $limit /var/log/app.log");
}
