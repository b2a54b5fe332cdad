<?php

declare(strict_types=1);

namespace App\Orders;

use Illuminate\Http\Request;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Log;
use PDO;
use mysqli;

final class OrderRepository
{
    private const COLUMNS = 'id, customer, total, state';

    public function __construct(private PDO $pdo, private mysqli $mysqli)
    {
    }

    public function byCustomer(string $customer): array
    {
        // ruleid: sql-injection
        return $this->pdo->query("SELECT * FROM orders WHERE customer = '$customer'")->fetchAll();
    }

    public function byCustomerBound(string $customer): array
    {
        // ok: sql-injection
        $st = $this->pdo->prepare('SELECT ' . self::COLUMNS . ' FROM orders WHERE customer = :customer');
        $st->execute(['customer' => $customer]);
        return $st->fetchAll();
    }

    public function show(): ?array
    {
        // ruleid: sql-injection
        $result = mysqli_query($this->mysqli, "SELECT * FROM orders WHERE id = " . $_GET['id']);
        return mysqli_fetch_assoc($result) ?: null;
    }

    public function showById(): ?array
    {
        $id = (int) $_GET['id'];
        // ok: sql-injection
        $result = $this->mysqli->query("SELECT * FROM orders WHERE id = " . $id);
        return $result->fetch_assoc();
    }

    public function search(): array
    {
        $term = $_POST['q'] ?? '';
        if ($term === '') {
            return [];
        }
        // ruleid: sql-injection
        $result = $this->mysqli->query("SELECT id FROM orders WHERE note LIKE '%" . $term . "%'");
        return $result->fetch_all();
    }

    public function searchBound(): array
    {
        $term = '%' . ($_POST['q'] ?? '') . '%';
        // ok: sql-injection
        $st = $this->mysqli->prepare("SELECT id FROM orders WHERE note LIKE ? AND kind NOT LIKE '%draft%'");
        $st->bind_param('s', $term);
        $st->execute();
        return $st->get_result()->fetch_all();
    }

    public function states(): array
    {
        // ok: sql-injection
        return $this->pdo->query("SELECT DISTINCT state FROM orders WHERE state <> 'deleted'")->fetchAll();
    }

    public function delete(Request $request): int
    {
        // ruleid: sql-injection
        return DB::delete("DELETE FROM orders WHERE id = {$request->input('id')}");
    }

    public function deleteBound(Request $request): int
    {
        // ok: sql-injection
        return DB::delete('DELETE FROM orders WHERE id = ?', [$request->input('id')]);
    }

    public function sorted(Request $request): array
    {
        $order = $request->query('sort');
        // ruleid: sql-injection
        return DB::select(
            'SELECT id, state FROM orders ORDER BY ' . $order
        );
    }

    public function since(Request $request): array
    {
        // ruleid: sql-injection
        return DB::table('orders')->whereRaw("created_at > '" . $request->get('since') . "'")->get()->all();
    }

    public function expensive(Request $request): array
    {
        // ok: sql-injection
        Log::debug("SELECT id FROM orders WHERE total > " . $request->get('total'));
        // ok: sql-injection
        return DB::table('orders')->whereRaw('total > ?', [$request->get('total')])->get()->all();
    }

    public function export(): array
    {
        $since = $_GET['since'] ?? '1970-01-01';
        $format = $_GET['format'] ?? 'csv';
        if (!in_array($format, ['csv', 'json'], true)) {
            return [];
        }
        header('Content-Type: text/' . $format);
        $where = "created_at > '" . $since . "'";
        // ruleid: sql-injection
        return $this->pdo->query('SELECT id, total FROM orders WHERE ' . $where)->fetchAll();
    }

    public function page(): array
    {
        $offset = intval($_GET['page']) * 20;
        // ok: sql-injection
        return $this->pdo->query("SELECT id, total FROM orders LIMIT 20 OFFSET $offset")->fetchAll();
    }

    public function quoted(): array
    {
        $state = $this->pdo->quote($_GET['state']);
        // ok: sql-injection
        return $this->pdo->query('SELECT id, total FROM orders WHERE state = ' . $state)->fetchAll();
    }
}
