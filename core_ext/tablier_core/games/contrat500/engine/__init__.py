"""The engine of Contrat 500: values each move by the share of a win that it leaves in the match.

`choose` is the entry point. `rivals` estimates what the other seats hold and when they announce,
`estimate` values the results of the deal, `turns` and `bids` value the moves of the seat, and
`prospects` has the sweeps over all hands that they share. `outlook` is their working memory.
"""
