resource "aws_s3_bucket" "exports" {
  bucket = "acme-exports"
}

resource "aws_s3_bucket_acl" "exports" {
  bucket = aws_s3_bucket.exports.id
  acl    = "public-read-write" # want medium "storage is public"
}

data "aws_iam_policy_document" "exporter" {
  statement {
    actions   = ["*"] # want medium "every action"
    resources = ["arn:aws:s3:::acme-exports/*"]
  }
}

resource "aws_lb_listener" "web" {
  load_balancer_arn = aws_lb.web.arn
  port              = 443
  protocol          = "HTTPS"
  ssl_policy        = "ELBSecurityPolicy-2016-08" # want medium "outdated tls"
}
