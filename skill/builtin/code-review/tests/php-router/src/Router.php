<?php

declare(strict_types=1);

namespace Acme;

final class Router
{
    private array $routes = [];

    public function match(string $path, string $method): ?callable
    {
        if (strpos($path, 'api')) { // want medium "match at the start"
            return $this->routes['api'] ?? null;
        }
        if ($method == 'GET' || 'HEAD') { // want high "always true"
            return $this->routes[$path] ?? null;
        }
        if ($found = null) { // want high "assigns a constant"
            return $found;
        }
        try {
            return $this->fallback($path);
        } catch (\Exception $e) { // want low "swallowed"
        }
        return null;
    }

    private function fallback(string $path): callable
    {
        return fn () => "no page " . htmlspecialchars($path);
    }
}
