<?php

declare(strict_types=1);

// ruleid: hardcoded-secret
define('DB_PASSWORD', 'qT7-zLm3xVw9Rk');

// ok: hardcoded-secret
define('DB_PASSWORD_FILE', '/run/secrets/db_password');

// ok: hardcoded-secret
define('AUTH_KEY', 'put your unique phrase here');

return [
    'mail' => [
        'username' => 'shop',
        // ruleid: hardcoded-secret
        'password' => 'Rz5wKx!8vLq2',
    ],
    'database' => [
        'username' => env('DB_USERNAME', 'shop'),
        // ok: hardcoded-secret
        'password' => env('DB_PASSWORD', ''),
    ],
    'sample' => [
        // ok: hardcoded-secret
        'password' => '********',
    ],
    'stripe' => [
        // ruleid: hardcoded-secret
        'secret' => 'sk_live_51Lm8TqZxV3wRk9NpY7cHdJb2',
        // ok: hardcoded-secret
        'webhook_secret' => getenv('STRIPE_WEBHOOK_SECRET'),
    ],
    's3' => [
        // ruleid: hardcoded-secret
        'key' => 'AKIA7LTQX2WZRKN4VJ5M',
        // ruleid: hardcoded-secret
        'secret' => 'L3vT9qZx7Rw0Hk5Yc2Jf8PdNmGs1AuEoBi4+Qe6X',
    ],
    's3_example' => [
        // ok: hardcoded-secret
        'key' => 'AKIAIOSFODNN7EXAMPLE',
    ],
    'auth' => [
        // ok: hardcoded-secret
        'passwords' => 'users',
        // ok: hardcoded-secret
        'token_name' => 'remember_token',
    ],
    'connection' => static function (): mysqli {
        // ruleid: hardcoded-secret
        return new mysqli('db.internal', 'shop', 'Xk4_mQz8vTw2', 'shop');
    },
    'labels' => [
        // ok: hardcoded-secret
        'password' => 'The password must have at least 12 characters.',
    ],
];
