require "net/http"
require "openssl"

module Gateway
  class Client
    def initialize(host)
      @http = Net::HTTP.new(host, 443)
      @http.use_ssl = true
      @http.verify_mode = OpenSSL::SSL::VERIFY_PEER
      @http.min_version = OpenSSL::SSL::TLS1_2_VERSION
    end

    def sign(body, key)
      OpenSSL::HMAC.hexdigest("SHA256", key, body)
    end

    def valid?(body, key, signature)
      Rack::Utils.secure_compare(sign(body, key), signature)
    end

    def seal(key, text)
      cipher = OpenSSL::Cipher.new("aes-256-gcm").encrypt
      cipher.key = key
      iv = cipher.random_iv
      iv + cipher.update(text) + cipher.final + cipher.auth_tag
    end

    def claims(token, key)
      JWT.decode(token, key, true, { algorithm: "RS256" }).first
    end

    def insecure?
      @http.verify_mode == OpenSSL::SSL::VERIFY_NONE
    end
  end
end
