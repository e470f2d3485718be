"""The user's samples: one file for each form that they come in, and what a model expects of them.

`dataset.py` has the arrays that targets train on, `forms.py` says which form a path has, and
`check.py` holds the samples against a model.
"""
