# frozen_string_literal: true

require 'cgi'
require 'sinatra/base'

# Helpers of the forum.
module ForumHelper
  def hello
    # ruleid: xss
    raw("<h1>Hello #{params[:name]}</h1>")
  end

  def hello_safe
    # ok: xss
    tag.h1("Hello #{params[:name]}")
  end

  def signature
    # ruleid: xss
    "<em>#{params[:signature]}</em>".html_safe
  end

  def badge
    # ok: xss
    '<span class="badge">new</span>'.html_safe
  end

  def cleaned(text)
    # ok: xss
    raw(sanitize(text, tags: %w[b i em]))
  end

  def nick
    name = params[:nick]
    # ruleid: xss
    content_tag(:b) { name.html_safe }
  end

  def escaped(text)
    # ok: xss
    "<b>#{ERB::Util.html_escape(text)}</b>".html_safe
  end
end

# Pages of the forum.
class TopicsController < ApplicationController
  def search
    # ruleid: xss
    render html: "<p>Nothing found for #{params[:q]}</p>".html_safe
  end

  def search_safe
    # ok: xss
    render html: helpers.tag.p("Nothing found for #{params[:q]}")
  end

  def api
    # ok: xss
    render json: { q: params[:q] }
  end
end

# Pages without Rails.
class Pages < Sinatra::Base
  get '/hello' do
    # ruleid: xss
    "<h1>Hello #{params['name']}</h1>"
  end

  get '/hello/safe' do
    # ok: xss
    "<h1>Hello #{CGI.escapeHTML(params['name'].to_s)}</h1>"
  end

  get '/city' do
    city = params['city']
    content_type :html
    # ruleid: xss
    body(
      '<input name="city" value="' + city + '">'
    )
  end
end
