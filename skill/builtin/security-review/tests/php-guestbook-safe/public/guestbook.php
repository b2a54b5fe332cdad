<?php
require __DIR__ . '/../bootstrap.php';

const THEMES = ['light' => 'light.php', 'dark' => 'dark.php'];

$db = new mysqli(DB_HOST, DB_USER, getenv('DB_PASSWORD'), 'guestbook');

if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $entry = $db->prepare('INSERT INTO entries (name, text) VALUES (?, ?)');
    $entry->bind_param('ss', $_POST['name'], $_POST['text']);
    $entry->execute();
    header('Location: /guestbook.php');
    exit;
}

if (isset($_GET['host'])) {
    $host = escapeshellarg($_GET['host']);
    $output = shell_exec("ping -c 1 $host");
}

$theme = THEMES[$_COOKIE['theme'] ?? 'light'] ?? THEMES['light'];
include __DIR__ . '/themes/light.php';
?>
<h1>Entries of <?= htmlspecialchars($_GET['name'] ?? '') ?></h1>
<?php if ($db->query('SELECT 1') === false): ?>
<p>The guestbook is closed.</p>
<?php endif ?>
