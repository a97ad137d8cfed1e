# Evaluates the expressions that come as lines of text, on rows that are read once. For each it writes the seconds of
# processor time and the number of values, and then the values, one a line.

suppressPackageStartupMessages(library(bnlearn))
options(warn = -1)

# Rows of state numbers, column by column as 32-bit integers; all states are levels, the unobserved ones too.
read_rows <- function(path, count, states) {
  codes <- matrix(readBin(path, "integer", count * length(states)), count)
  columns <- lapply(seq_along(states), function(j) {
    structure(codes[, j] + 1L, levels = as.character(seq_len(states[j])), class = "factor")
  })
  structure(columns, names = paste0("V", seq_along(states)), row.names = seq_len(count), class = "data.frame")
}

# Graph with a matrix of arcs, two names a row.
graph <- function(arcs) {
  network <- empty.graph(names(rows))
  arcs(network) <- matrix(paste0("V", arcs), ncol = 2, byrow = TRUE)
  network
}

# Local scores of families (child, parents). The package has no public function for one family alone.
local_scores <- function(families, score, ...) {
  network <- empty.graph(names(rows))
  extra <- bnlearn:::check.score.args(score, network, rows, list(...))
  vapply(families, function(family) {
    child <- names(rows)[family[1]]
    network$nodes[[child]]$parents <- names(rows)[family[-1]]
    bnlearn:::per.node.score(network, rows, score, targets = child, extra.args = extra)
  }, 0)
}

# Names of each variable of a sample, with the counts of its states.
state_counts <- function(sample) unlist(lapply(names(sample), function(v) paste(c(v, table(sample[[v]])), collapse = " ")))

# Arcs of a network and the sum of its squared parameters.
arcs_and_squares <- function(fitted) {
  squares <- sum(vapply(fitted, function(node) sum(node$prob^2), 0))
  c(squares, t(arcs(fitted)))
}

input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  answer <- tryCatch({
    work <- parse(text = line)
    invisible(gc())
    begin <- proc.time()
    value <- eval(work, globalenv())
    spent <- sum((proc.time() - begin)[1:2])
    lines <- if (is.null(value)) character() else if (is.numeric(value)) format(value, digits = 17) else as.character(value)
    c(paste(spent, length(lines)), lines)
  }, error = function(problem) c("failed 1", gsub("\n", " ", conditionMessage(problem))))
  writeLines(answer)
  flush(stdout())
}
