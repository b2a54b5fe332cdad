<?php

$action = $_GET['action'] ?? '';
$name = $_GET['name'] ?? '';

switch ($action) {
    case 'lookup':
        $host = $_POST['host'];
        $command = 'dig +short ' . $host;
        $lines = [];
        exec($command, $lines); // want high "run as a command"
        echo implode("\n", $lines);
        break;
    case 'show':
        readfile('pages/' . $_GET['page']); // want high "chooses the file"
        break;
    case 'find':
        $result = mysqli_query($db, "SELECT id FROM pages WHERE slug = '" . $_GET['slug'] . "'"); // want high "query"
        echo mysqli_num_rows($result);
        break;
    case 'fetch':
        $ch = curl_init();
        curl_setopt($ch, CURLOPT_URL, $_GET['url']); // want high "address that the server calls"
        curl_exec($ch);
        break;
    case 'size':
        $size = `du -sh uploads/$name`; // want high "shell"
        echo htmlspecialchars($size);
        break;
    default:
        echo "<p>Unknown action for $name</p>"; // want high "without escaping"
}
