require "net/http"
require "openssl"

module Gateway
  class Client
    def initialize(host)
      @http = Net::HTTP.new(host, 443)
      @http.use_ssl = true
      @http.verify_mode = OpenSSL::SSL::VERIFY_NONE # want high "not verified"
      @http.min_version = OpenSSL::SSL::TLS1_VERSION # want medium "outdated tls"
    end

    def sign(body, key)
      OpenSSL::HMAC.hexdigest("SHA1", key, body) # want low "hash"
    end

    def seal(key, text)
      cipher = OpenSSL::Cipher.new("des-ede3-cbc") # want medium "cipher or mode"
      cipher.encrypt
      cipher.key = key
      cipher.update(text) + cipher.final
    end

    def claims(token)
      JWT.decode(token, nil, false).first # want high "without a signature"
    end
  end
end
