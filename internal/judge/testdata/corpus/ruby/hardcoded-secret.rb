# frozen_string_literal: true

require 'aws-sdk-s3'
require 'pg'

Rails.application.configure do
  # ruleid: hardcoded-secret
  config.secret_key_base = 'c81f4e9a7b2d6053f8e1c94ab7d23605e8f1a9c4b7d2e6053f8a1c94b7d2e605'

  # ok: hardcoded-secret
  config.secret_token_header = 'X-Secret-Token'

  # ok: hardcoded-secret
  config.filter_parameters += %i[password token secret]

  config.action_mailer.smtp_settings = {
    address: 'smtp.example.net',
    user_name: 'shop',
    # ruleid: hardcoded-secret
    password: 'Zq8-tRv3xLw5'
  }

  # ok: hardcoded-secret
  config.stripe_api_key = ENV.fetch('STRIPE_API_KEY')
end

# ruleid: hardcoded-secret
Stripe.api_key = 'sk_live_51Kz9XvRq3TwLm7NpY5cHdJb8'

# ruleid: hardcoded-secret
GITHUB_TOKEN = 'ghp_Qz7LmXw3TkRv9YpNcHd5JbGf2As1Eu08TiXo'

# ok: hardcoded-secret
GITHUB_TOKEN_FORMAT = /\Aghp_[A-Za-z0-9]{36}\z/

Aws.config.update(
  credentials: Aws::Credentials.new(
    # ruleid: hardcoded-secret
    'AKIA6VQZ3WLTX7RNKJ2P', 'w9Lz2Tq7Rv0Xk5Hf3Yc8Pd1JmNs6GuAoEbQi4+Zt'
  )
)

EXAMPLE = Aws::Credentials.new(
  # ok: hardcoded-secret
  'AKIAIOSFODNN7EXAMPLE', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
)

# Connects to the database.
module Database
  def self.connect
    # ruleid: hardcoded-secret
    PG.connect('postgres://shop:Lw7_xTq3zRv9@db.internal/shop')
  end

  def self.connect_example
    # ok: hardcoded-secret
    PG.connect('postgres://user:password@localhost/shop_test')
  end

  def self.sign_in(user, params)
    # ok: hardcoded-secret
    user.authenticate(password: params[:password])
  end

  def self.hint
    # ok: hardcoded-secret
    { password: 'At least 12 characters', token: '<your-token>' }
  end
end
