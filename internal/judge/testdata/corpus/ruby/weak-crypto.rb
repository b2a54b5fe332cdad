# frozen_string_literal: true

require 'bcrypt'
require 'digest'
require 'openssl'

# Accounts and their passwords.
class Account
  attr_reader :password_hash, :salt

  def password=(password)
    # ruleid: weak-crypto
    @password_hash = Digest::MD5.hexdigest(password)
  end

  def new_password=(password)
    # ok: weak-crypto
    @password_hash = BCrypt::Password.create(password, cost: 12)
  end

  def matches?(password)
    # ruleid: weak-crypto
    password_hash == Digest::SHA1.hexdigest("#{salt}#{password}")
  end

  def matches_new?(password)
    # ok: weak-crypto
    BCrypt::Password.new(password_hash) == password
  end

  def gravatar(mail)
    # ok: weak-crypto
    "https://www.gravatar.com/avatar/#{Digest::MD5.hexdigest(mail.downcase)}"
  end
end

# Caches and seals.
class Vault
  def etag(body)
    # ok: weak-crypto
    %("#{Digest::MD5.hexdigest(body)}")
  end

  def cache_key(*parts)
    # ok: weak-crypto
    Digest::SHA1.hexdigest(parts.join('/'))
  end

  def seal_des(key, plain)
    # ruleid: weak-crypto
    cipher = OpenSSL::Cipher.new('des-ede3-cbc').encrypt
    cipher.key = key
    cipher.update(plain) + cipher.final
  end

  def seal_ecb(key, plain)
    # ruleid: weak-crypto
    cipher = OpenSSL::Cipher::AES.new(256, :ECB).encrypt
    cipher.key = key
    cipher.update(plain) + cipher.final
  end

  def seal_rc4(key, plain)
    # ruleid: weak-crypto
    cipher = OpenSSL::Cipher.new(
      'rc4'
    ).encrypt
    cipher.key = key
    cipher.update(plain)
  end

  def seal(key, plain)
    # ok: weak-crypto
    cipher = OpenSSL::Cipher.new('aes-256-gcm').encrypt
    cipher.key = key
    iv = cipher.random_iv
    iv + cipher.update(plain) + cipher.final + cipher.auth_tag
  end

  def old_context
    ctx = OpenSSL::SSL::SSLContext.new
    # ruleid: weak-crypto
    ctx.min_version = OpenSSL::SSL::TLS1_VERSION
    ctx
  end

  def context
    ctx = OpenSSL::SSL::SSLContext.new
    # ok: weak-crypto
    ctx.min_version = OpenSSL::SSL::TLS1_2_VERSION
    ctx
  end
end
