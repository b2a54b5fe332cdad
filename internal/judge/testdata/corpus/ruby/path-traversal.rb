# frozen_string_literal: true

require 'fileutils'
require 'sinatra/base'

# Files that readers may fetch.
class FilesController < ApplicationController
  # ok: path-traversal
  ROOT = Rails.root.join('storage', 'files')

  def show
    # ruleid: path-traversal
    send_file(ROOT.join(params[:name]))
  end

  def show_safe
    # ok: path-traversal
    send_file(ROOT.join(File.basename(params[:name])))
  end

  def note
    name = params[:note]
    return head(:not_found) if name.blank?

    # ruleid: path-traversal
    render plain: File.read("/srv/notes/#{name}")
  end

  def note_checked
    full = File.expand_path(params[:note], '/srv/notes')
    return head(:forbidden) unless full.start_with?('/srv/notes/')

    # ok: path-traversal
    render plain: File.read(full)
  end

  def upload
    photo = params[:photo]
    # ruleid: path-traversal
    File.binwrite(ROOT.join(photo.original_filename), photo.read)
    head :created
  end

  def upload_safe
    # ok: path-traversal
    File.binwrite(ROOT.join("#{SecureRandom.uuid}.jpg"), params[:photo].read)
    head :created
  end

  def destroy
    # ruleid: path-traversal
    FileUtils.rm_f(
      File.join(ROOT, params[:file])
    )
    head :no_content
  end

  def license
    # ok: path-traversal
    send_file(Rails.root.join('LICENSE'), disposition: 'inline')
  end
end

# The same with Sinatra.
class Downloads < Sinatra::Base
  get '/report' do
    # ruleid: path-traversal
    send_file "/srv/reports/#{params['file']}"
  end

  get '/report/:number' do
    # ok: path-traversal
    send_file "/srv/reports/#{params['number'].to_i}.pdf"
  end

  get '/log' do
    wanted = params['log']
    # ruleid: path-traversal
    IO.readlines('/var/log/app/' + wanted).last(50).join
  end

  get '/help' do
    # ok: path-traversal
    "File.read(params['file']) is not offered, see #{File.join('/', 'reports')}"
  end
end

# Styles of the pages.
class StylesController < ApplicationController
  def show
    theme = cookies[:theme] || 'light'
    folder = File.join('/srv/themes', theme)
    # ruleid: path-traversal
    render plain: File.read("#{folder}/style.css"), content_type: 'text/css'
  end

  def known
    theme = cookies[:theme] == 'dark' ? 'dark' : 'light'
    # ok: path-traversal
    render plain: File.read("/srv/themes/#{theme}/style.css"), content_type: 'text/css'
  end
end
