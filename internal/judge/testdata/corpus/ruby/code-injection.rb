# frozen_string_literal: true

require 'erb'
require 'liquid'

# Formulas and templates of users.
class SheetController < ApplicationController
  ACTIONS = %w[sum average].freeze
  EXPORTS = { 'csv' => 'CsvExport', 'pdf' => 'PdfExport' }.freeze

  def calc
    # ruleid: code-injection
    render json: { value: eval(params[:expression]) }
  end

  def calc_safe
    # ok: code-injection
    render json: { value: Float(params[:expression]) }
  end

  def macro
    source = params[:source]
    # ruleid: code-injection
    @sheet.instance_eval(source)
    head :no_content
  end

  def configure
    # ok: code-injection
    @sheet.instance_eval { @locked = true }
    head :no_content
  end

  def apply
    # ruleid: code-injection
    render json: @sheet.send(params[:action_name], 1)
  end

  def apply_safe
    name = params[:action_name]
    return head(:bad_request) unless ACTIONS.include?(name)

    # ok: code-injection
    render json: @sheet.public_send(name)
  end

  def export
    # ruleid: code-injection
    render json: params[:kind].constantize.new(@sheet).to_h
  end

  def export_safe
    # ok: code-injection
    render json: EXPORTS.fetch(params[:kind], 'CsvExport').constantize.new(@sheet).to_h
  end

  def mail
    # ruleid: code-injection
    body = ERB.new(params[:template]).result(binding)
    render html: body
  end

  def mail_safe
    # ok: code-injection
    body = Liquid::Template.parse('Hello {{ name }}').render('name' => params[:name])
    render plain: body
  end

  def inline
    greeting = params[:greeting]
    # ruleid: code-injection
    render inline: "<p>#{greeting}, <%= current_user.name %></p>"
  end

  %w[red green].each do |color|
    # ok: code-injection
    class_eval <<~RUBY, __FILE__, __LINE__ + 1
      def #{color}?
        @color == '#{color}'
      end
    RUBY
  end

  def help
    # ok: code-injection
    render plain: 'eval(params[:expression]) is not available.'
  end
end
