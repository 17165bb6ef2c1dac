"""What a pipeline does with the service: one verdict, told in every form that pipelines read."""
