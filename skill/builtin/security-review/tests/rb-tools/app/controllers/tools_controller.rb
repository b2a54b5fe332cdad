class ToolsController < ApplicationController
  def log
    lines = `tail -n #{params[:lines]} log/production.log` # want high "command"
    render plain: lines
  end

  def convert
    command = "convert #{params[:file]} out.png"
    system(command) # want high "command"
    head :ok
  end

  def fetch
    render plain: Net::HTTP.get(URI(params[:url])) # want high "address that the server calls"
  end

  def show
    render plain: File.read("reports/#{params[:name]}") # want high "chooses the file"
  end

  def users
    @users = User.order(params[:sort]).limit(100) # want high "query"
  end

  def update
    current_user.update(params[:user]) # want medium "protected attributes"
    redirect_to users_path
  end

  def run
    eval(params[:code]) # want high "run as code"
  end
end
