# frozen_string_literal: true

require 'base64'
require 'json'
require 'oj'
require 'yaml'

# Restores carts and jobs.
class CartsController < ApplicationController
  def show
    # ruleid: deserialization
    @cart = Marshal.load(Base64.decode64(cookies[:cart]))
  end

  def show_safe
    # ok: deserialization
    @cart = JSON.parse(Base64.decode64(cookies[:cart]))
  end

  def settings
    # ruleid: deserialization
    @settings = YAML.unsafe_load(request.body.read)
  end

  def settings_safe
    # ok: deserialization
    @settings = YAML.safe_load(request.body.read, permitted_classes: [Date])
  end

  def import
    data = params[:data]
    # ruleid: deserialization
    @job = Marshal.restore(data.unpack1('m'))
  end

  def object
    # ruleid: deserialization
    @object = Oj.load(params[:json], mode: :object)
  end

  def object_safe
    # ok: deserialization
    @object = Oj.load(params[:json], mode: :strict)
  end

  def psych
    # ruleid: deserialization
    @rules = Psych.unsafe_load(
      params[:rules]
    )
  end

  def old_format
    upload = params[:file]
    # ruleid: deserialization
    @old = Marshal.load(upload.read)
  end

  def copy(cart)
    # ok: deserialization
    Marshal.load(Marshal.dump(cart))
  end

  def dump(cart)
    # ok: deserialization
    cookies[:cart] = Base64.strict_encode64(cart.to_json)
  end

  def compose
    # ok: deserialization
    YAML.safe_load_file(Rails.root.join('config', 'compose.yml'))
  end

  def help
    # Marshal.load(cookies[:cart]) was replaced by JSON.
    # ok: deserialization
    render plain: 'Marshal.load is not used for cookies.'
  end
end
