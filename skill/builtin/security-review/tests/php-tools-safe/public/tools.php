<?php

$action = $_GET['action'] ?? '';
$name = basename($_GET['name'] ?? '');
$id = (int) ($_GET['id'] ?? 0);

switch ($action) {
    case 'lookup':
        $ip = filter_var($_POST['ip'], FILTER_VALIDATE_IP);
        echo $ip === false ? 'no address' : gethostbyaddr($ip);
        break;
    case 'show':
        readfile('pages/' . basename($_GET['page']));
        break;
    case 'find':
        $find = $db->prepare('SELECT id FROM pages WHERE slug = ?');
        $find->execute([$_GET['slug']]);
        echo $find->rowCount();
        break;
    case 'fetch':
        $ch = curl_init();
        curl_setopt($ch, CURLOPT_URL, 'https://feeds.example.com/news');
        curl_exec($ch);
        break;
    case 'page':
        $page = $db->query("SELECT title FROM pages WHERE id = " . $id)->fetch();
        echo htmlspecialchars($page['title']);
        break;
    case 'uptime':
        $uptime = `uptime`;
        echo $uptime;
        break;
    default:
        echo '<p>Unknown action for ' . htmlspecialchars($name) . '</p>';
}
