# frozen_string_literal: true

require 'excon'
require 'faraday'
require 'httparty'
require 'net/http'
require 'net/smtp'
require 'openssl'
require 'rest-client'

# Clients of the payment partner.
class Partner
  URL = 'https://pay.example.net'

  def http
    http = Net::HTTP.new('pay.example.net', 443)
    http.use_ssl = true
    # ruleid: tls-verification
    http.verify_mode = OpenSSL::SSL::VERIFY_NONE
    http
  end

  def http_safe
    http = Net::HTTP.new('pay.example.net', 443)
    http.use_ssl = true
    # ok: tls-verification
    http.verify_mode = OpenSSL::SSL::VERIFY_PEER
    http
  end

  def faraday
    # ruleid: tls-verification
    Faraday.new(url: URL, ssl: { verify: false })
  end

  def faraday_safe
    # ok: tls-verification
    Faraday.new(url: URL, ssl: { verify: true, ca_file: '/etc/ssl/partner.pem' })
  end

  def rest
    # ruleid: tls-verification
    RestClient::Resource.new(URL, verify_ssl: false).get
  end

  def rest_safe
    # ok: tls-verification
    RestClient::Resource.new(URL, verify_ssl: OpenSSL::SSL::VERIFY_PEER).get
  end

  def party
    # ruleid: tls-verification
    HTTParty.get(
      "#{URL}/rates",
      verify: false
    )
  end

  def party_safe
    # ok: tls-verification
    HTTParty.get("#{URL}/rates", timeout: 5)
  end

  def excon
    # ruleid: tls-verification
    Excon.get(URL, ssl_verify_peer: false)
  end

  def start
    uri = URI(URL)
    # ruleid: tls-verification
    Net::HTTP.start(uri.host, uri.port, use_ssl: true, verify_mode: OpenSSL::SSL::VERIFY_NONE) do |http|
      http.get('/status')
    end
  end

  def save(record)
    # ok: tls-verification
    record.save(validate: true)
  end

  def help
    # VERIFY_NONE hides the fault.
    # ok: tls-verification
    'Pass ca_file: OpenSSL::SSL::VERIFY_NONE is refused by the partner.'
  end
end
