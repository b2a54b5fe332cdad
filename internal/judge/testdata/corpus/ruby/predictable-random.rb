# frozen_string_literal: true

require 'securerandom'

# Codes, tokens and games of chance.
class Codes
  ALPHABET = [*'A'..'Z', *'2'..'9'].freeze

  def session_token
    # ruleid: predictable-random
    token = rand(36**32).to_s(36)
    token
  end

  def session_token_strong
    # ok: predictable-random
    SecureRandom.urlsafe_base64(32)
  end

  def reset_code(user)
    # ruleid: predictable-random
    user.update!(reset_code: format('%06d', rand(1_000_000)))
  end

  def reset_code_strong(user)
    # ok: predictable-random
    user.update!(reset_code: format('%06d', SecureRandom.random_number(1_000_000)))
  end

  def password(length)
    # ruleid: predictable-random
    password = Array.new(length) { ALPHABET.sample }.join
    password
  end

  def password_strong(length)
    # ok: predictable-random
    Array.new(length) { ALPHABET.sample(random: SecureRandom) }.join
  end

  def api_key(user)
    random = Random.new(Time.now.to_i)
    # ruleid: predictable-random
    user.api_key = random.bytes(32).unpack1('H*')
  end

  def csrf(session)
    # ruleid: predictable-random
    session[:csrf_token] = Digest::SHA256.hexdigest("#{Time.now.to_f}#{Kernel.rand}")
  end

  def dice
    # ok: predictable-random
    rand(1..6)
  end

  def banner(banners)
    # ok: predictable-random
    banners.sample
  end

  def backoff(attempt)
    # ok: predictable-random
    sleep((2**attempt) + rand)
  end
end
