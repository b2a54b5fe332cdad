# frozen_string_literal: true

require 'json/jwt'
require 'jwt'

# Reads the tokens of users.
class Session
  def initialize(keys, key)
    @keys = keys
    @key = key
  end

  def user(token)
    # ruleid: jwt-unverified
    JWT.decode(token, nil, false).first['sub']
  end

  def user_verified(token)
    # ok: jwt-unverified
    JWT.decode(token, @key, true, algorithm: 'HS256').first['sub']
  end

  def admin?(request)
    token = request.headers['Authorization'].to_s.delete_prefix('Bearer ')
    # ruleid: jwt-unverified
    claims, = JWT.decode(
      token,
      nil,
      false
    )
    claims['admin'] == true
  end

  def by_key_id(token)
    # ok: jwt-unverified
    _claims, head = JWT.decode(token, nil, false)
    key = @keys.fetch(head['kid'])
    # ok: jwt-unverified
    JWT.decode(token, key, true, algorithms: ['RS256']).first
  end

  def accept_none(token)
    # ruleid: jwt-unverified
    JWT.decode(token, nil, true, algorithm: 'none').first
  end

  def tenant(token)
    # ruleid: jwt-unverified
    JSON::JWT.decode(token, :skip_verification)['tenant']
  end

  def tenant_verified(token)
    # ok: jwt-unverified
    JSON::JWT.decode(token, @key)['tenant']
  end

  def issue(claims)
    # ruleid: jwt-unverified
    JWT.encode(claims, nil, 'none')
  end

  def issue_signed(claims)
    # ok: jwt-unverified
    JWT.encode(claims, @key, 'HS256')
  end

  def role(token)
    # ruleid: jwt-unverified
    JWT.decode(token, @key, false)[0].fetch('role')
  end

  def page(cursor)
    # ok: jwt-unverified
    Cursor.decode(cursor, nil, false)
  end

  def help
    # ok: jwt-unverified
    'JWT.decode(token, nil, false) does not check who made the token.'
  end
end
