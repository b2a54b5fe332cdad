<?php
require __DIR__ . '/../bootstrap.php';

$db = new mysqli(DB_HOST, DB_USER, getenv('DB_PASSWORD'), 'guestbook');

if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $name = $_POST['name'];
    $text = $_POST['text'];
    // want high "sql"
    $db->query("INSERT INTO entries (name, text) VALUES ('$name', '$text')");
    header('Location: ' . $_POST['back']); // want medium "where the user is sent"
    exit;
}

if (isset($_GET['host'])) {
    $host = $_GET['host'];
    $output = shell_exec("ping -c 1 $host"); // want high "command"
}

$theme = $_COOKIE['theme'] ?? 'light';
include "themes/" . $theme . ".php"; // want high "run as code"
?>
<h1>Entries of <?= $_GET['name'] ?></h1> <!-- want high "without escaping" -->
