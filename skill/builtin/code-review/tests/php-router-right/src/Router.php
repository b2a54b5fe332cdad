<?php

declare(strict_types=1);

namespace Acme;

final class Router
{
    private array $routes = [];

    public function match(string $path, string $method): ?callable
    {
        // if (strpos($path, 'api')) would miss "api/users"
        if (strpos($path, 'api') === 0 || str_contains($path, '/api/')) {
            return $this->routes['api'] ?? null;
        }
        if ($method == 'GET' || $method == 'HEAD') {
            return $this->routes[$path] ?? null;
        }
        if ($found = $this->find($path)) {
            return $found;
        }
        return count($this->routes) === 0 ? null : $this->fallback($path);
    }

    private function find(string $path): ?callable
    {
        return $this->routes[rtrim($path, '/')] ?? null;
    }

    private function fallback(string $path): callable
    {
        return fn () => "no page " . htmlspecialchars($path);
    }
}
