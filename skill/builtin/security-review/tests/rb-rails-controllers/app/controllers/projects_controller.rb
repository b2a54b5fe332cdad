class ProjectsController < ApplicationController
  before_action :authenticate_user!

  def index
    @projects = Project.where("name LIKE '%#{params[:q]}%'") # want high "query"
                       .limit(50)
  end

  def create
    @project = Project.new(params.require(:project).permit!) # want medium "may be assigned"
    @project.owner = current_user
    @project.save!
    redirect_to params[:return_to] # want medium "where the user is sent"
  end

  def export
    format = params[:format_name]
    system("zip -r /tmp/#{format}.zip exports") # want high "shell"
    send_file "/tmp/export.zip"
  end

  def import
    @rows = Marshal.load(Base64.decode64(params[:rows])) # want high "deserialized"
    render json: { count: @rows.size }
  end

  def stat
    render plain: Project.public_send(params[:figure]) # want high "class or method"
  end
end
